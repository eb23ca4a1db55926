package yamlfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// Faults of what is applied in a management cluster name an item of a list by its name.
func TestAFaultIsAtTheLineOfAnItemByItsIndexAndByItsName(t *testing.T) {
	t.Parallel()
	root, err := yamlfile.Parse([]byte(`config:
  a:b:
    pools:
      - {name: one}
      - name: two
        release: x
`))
	require.NoError(t, err)
	for path, line := range map[string]int{
		"a:b.pools[1].release": 6, "a:b.pools[two].release": 6, "a:b.pools[one].release": 4, "a:b.pools[three].release": 3,
	} {
		located := fault.In(yamlfile.Locate(&fault.Fault{Path: path, Problem: "is wrong"}, "f.yaml", root))
		require.Equal(t, line, located[0].Line, path)
	}
}
