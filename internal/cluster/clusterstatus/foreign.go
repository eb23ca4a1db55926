package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// Updated is an object that an update applies again.
type Updated struct {
	// Type is its type in Pulumi.
	Type string
	// Applied are the fields that the update sets, and Former the fields that the last update set, nil if the stack adopts
	// the object.
	Applied, Former map[string]any
}

// fieldLeaver is the part of a management cluster that keeps fields from being removed.
type fieldLeaver interface {
	LeaveFields(ctx context.Context, of, applied, former map[string]any, makers ...string) ([]string, error)
}

// LeaveForeign keeps the objects of an update from losing what others have set in them with kubectl and the stack does
// not set, and says what is kept. Nothing but the managers of such fields changes. What makers have set in an object
// that the stack adopts counts as kubectl's.
func LeaveForeign(
	ctx context.Context,
	api fieldLeaver,
	objects []Updated,
	say func(text string),
	makers ...string,
) error {
	for _, o := range objects {
		if !strings.HasPrefix(o.Type, "kubernetes:") || strings.HasSuffix(o.Type, "Patch") {
			continue
		}
		of := o.Former
		if of == nil {
			of = o.Applied
		}
		left, err := api.LeaveFields(ctx, of, o.Applied, o.Former, makers...)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			say(fmt.Sprintf("%s %s keeps what was set with kubectl and is not in the stack's file: %s",
				objectKind(of), textAt(of, "metadata", "name"), strings.Join(left, ", ")))
		}
	}
	return nil
}

// RefuseTaken returns the error for objects of a management cluster that an update of a stack would create. theirs is
// what they may be.
func RefuseTaken(stack, theirs string, objects []string) error {
	slices.Sort(objects)
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the management cluster already has objects that stack %s would create and does not have in its state: %s",
			stack, strings.Join(objects, ", ")),
		Remedy: fmt.Sprintf("if %s, adopt them: `hypershift-aws adopt -s %s --preview`; otherwise set another name or namespace "+
			"in the stack's file, or correct its kubeconfig if it selects another cluster", theirs, stack),
	}
}
