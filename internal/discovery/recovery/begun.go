package recovery

import (
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// Begun returns the URNs of creations that an earlier run began and that are in no state yet: Recover settles them.
func Begun(d *state.Deployment, j Journal) (map[string]bool, error) {
	noted, err := j.unfinished()
	if err != nil {
		return nil, err
	}
	begun := map[string]bool{}
	for _, pending := range d.Pending {
		begun[string(pending.Resource.URN)] = true
	}
	for _, n := range noted.entries {
		if n.creates() {
			begun[n.URN] = true
		}
	}
	return begun, nil
}
