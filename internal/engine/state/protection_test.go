package state

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const protectedState = `{"deployment": {"resources": [
  {"urn": "cluster", "type": "cluster", "protect": true},
  {"urn": "pool", "type": "pool"},
  {"urn": "bucket", "type": "bucket", "protect": true},
  {"urn": "guard", "type": "guard", "dependencies": ["cluster", "pool"], "resourceHooks": {"BeforeDelete": ["gone"]}}
]}}`

func TestAProtectionIsRemovedAndRestoredAsItWas(t *testing.T) {
	t.Parallel()
	whole, err := ParseExport([]byte(protectedState))
	require.NoError(t, err)
	of := func(d *Deployment) Protection {
		return d.Protection(func(token string) bool { return token == "cluster" }, "guard")
	}
	p := of(whole)
	require.Equal(t, []string{"cluster"}, p.Protected)
	require.Len(t, p.Hooked, 1)

	for name, interrupted := range map[string]func(d *Deployment){
		"before the first deletion": func(*Deployment) {},
		"after the guard was deleted, and a pool": func(d *Deployment) {
			d.Drop(d.Live("guard"))
			d.Drop(d.Live("pool"))
		},
	} {
		d, err := whole.Copy()
		require.NoError(t, err)
		require.NoError(t, d.Unprotect(p))
		require.True(t, of(d).Empty(), name)
		require.True(t, d.Live("bucket").Protect, "others protect it")
		interrupted(d)
		changed, err := d.Protect(p)
		require.NoError(t, err)
		require.True(t, changed, name)
		require.Equal(t, []string{"cluster"}, of(d).Protected, name)
		require.Equal(t, whole.Live("guard").ResourceHooks, d.Live("guard").ResourceHooks, name)
		for _, urn := range d.Live("guard").Dependencies {
			require.NotNil(t, d.Live(string(urn)), name)
		}
		changed, err = d.Protect(p)
		require.NoError(t, err)
		require.False(t, changed, name)
	}
}
