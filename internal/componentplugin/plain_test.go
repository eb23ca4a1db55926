package componentplugin

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryPlainTextHasAReason(t *testing.T) {
	t.Parallel()
	listed := map[string]int{}
	for _, properties := range plainTexts() {
		for _, property := range properties {
			listed[property]++
		}
	}
	found := map[string]bool{}
	for _, c := range Components() {
		c.plainTexts(func(of reflect.Type, property string) {
			name := nameOf(of) + "." + property
			found[name] = true
			require.Equal(t, 1, listed[name], "%s, in %s, needs one reason why it is no input", name, c.Token)
		})
	}
	for name := range listed {
		require.True(t, found[name], "%s is no plain text any more", name)
	}
}
