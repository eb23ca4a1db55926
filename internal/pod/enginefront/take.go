package enginefront

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
)

// Take in the environment are the IDs, separated by commas, that a person has decided for where an interrupted creation has several candidates, as
// `recover --take`. IDs that are no candidates are ignored: the environment stays when the creation is settled.
const Take = "HYPERSHIFT_AWS_TAKE"

// deciding runs an operation, and once more after a recovery that takes what the environment has decided for.
func (f *front) deciding(ctx context.Context, stack *automation.Stack, operation func() error) error {
	err := operation()
	var ambiguous *automation.AmbiguousError
	if !errors.As(err, &ambiguous) {
		return err
	}
	decided := strings.Split(f.Environ.Get(Take), ",")
	var ids []string
	for _, lookup := range ambiguous.Lookups {
		ids = append(ids, slices.DeleteFunc(slices.Clone(lookup.IDs), func(id string) bool { return !slices.Contains(decided, id) })...)
	}
	if len(ids) > 0 {
		if _, err = stack.Recover(ctx, automation.RecoverOptions{Take: ids}); err == nil {
			return operation()
		}
	}
	var known *failure.Error
	if errors.As(err, &known) && errors.As(err, &ambiguous) {
		known.Remedy += "; for a run in a pod, set " + Take + "=ID in its environment, with commas between several"
	}
	return err
}
