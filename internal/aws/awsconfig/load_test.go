package awsconfig

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyTheLinesOfTheSDKsLoggersAreHidden(t *testing.T) {
	t.Parallel()
	const log = "SDK 2026/11/23 05:00:00 WARN falling back to IMDSv1: operation error\n"
	for name, test := range map[string]struct {
		writes []string
		want   string
	}{
		"a line":              {[]string{log}, ""},
		"between others":      {[]string{"one\n" + log + "two\n"}, "one\ntwo\n"},
		"in parts":            {[]string{"one\nSD", "K 20", "26/11/23 WARN x", "\ntwo\n"}, "one\ntwo\n"},
		"a prompt":            {[]string{"Password: "}, "Password: "},
		"a line like it":      {[]string{"SDK", "s are generated\n"}, "SDKs are generated\n"},
		"within another line": {[]string{"the ", "SDK 2026 said\n"}, "the SDK 2026 said\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			w := &withoutLogs{to: &shown}
			for _, text := range test.writes {
				n, err := w.Write([]byte(text))
				require.NoError(t, err)
				require.Equal(t, len(text), n)
			}
			require.Equal(t, test.want, shown.String())
		})
	}
}
