package stacks

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAStateOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	for recorded, refused := range map[any]bool{
		"v0.0": false, Version: false, "v0.0.7": false, "v99.0": true, "v0.99": true, "v0.99.1": true, "": true,
		"[secret]": true, 7.5: true,
	} {
		err := CheckVersion("dev", map[string]any{VersionOutput: recorded})
		var newer *NewerError
		require.Equal(t, refused, err != nil, "%v", recorded)
		if refused {
			require.ErrorAs(t, err, &newer, "%v", recorded)
			require.Equal(t, "dev", newer.Stack)
		}
	}
	require.NoError(t, CheckVersion("dev", nil), "a state of a version that recorded none")
}

func TestTheVersionIsThatOfTheChangelog(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
	require.NoError(t, err)
	newest := regexp.MustCompile(`(?m)^## (v\d+\.\d+\.\d+)`).FindSubmatch(text)
	require.NotNil(t, newest, "no version has a heading")
	require.Equal(t, string(newest[1]), Version)
}
