package recovery

import (
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// The provider creates some types with several requests. This file decides on resources whose creation was interrupted between two of them. What a
// resource lacks that a refresh shows, the next update sets.

// replacedNext is the field of a resource of the state that makes the engine replace it in the next update.
const replacedNext = "taint"

// isOwn reports whether a resource that a search found is the stack's, by its tags in AWS. One without tags is if it is part of what is the stack's,
// or if the provider tags the type later, and the resource was created since the run began or the user has decided for it.
func (r *recovery) isOwn(t taking, query account.Query, tags map[string]any) bool {
	if query.CarriedBy(tags) || len(tags) > 0 {
		return query.CarriedBy(tags)
	}
	return r.ours(query) || query.TaggedLater() && (r.dated[t.id] || slices.Contains(r.take, t.id))
}

// replaceable reports whether the next update replaces a resource of that type if its creation was not completed. The group of a VPC endpoint keeps
// AWS's egress rule, as it does where HyperShift's operator has created it: its program refers to an existing group by its ID, so that the engine
// does not replace it, and no connection begins at an endpoint.
func replaceable(res *state.Resource) bool {
	return len(queryOf(res).Emptied()) > 0 && !strings.Contains(string(res.URN.QualifiedType()), privatelink.EndpointType+"$")
}

// judgeCompleteness decides whether the next update replaces a resource that was added to the state, because its creation was interrupted before the
// provider removed what AWS creates with it. Nothing depends on it yet. inputs are those of the creation. It reports whether it has changed the state.
func (r *recovery) judgeCompleteness(found *state.Resource, inputs map[string]any) (changed bool, err error) {
	if !replaceable(found) {
		return false, nil
	}
	for _, output := range queryOf(found).Emptied() {
		if rest, _ := found.Outputs[output].([]any); len(rest) > 0 && inputs[output] == nil {
			r.say("%s (%s) is not complete: it has the %s rules with which AWS creates it; the next `up` replaces it", subject(found), found.ID, output)
			return false, nil
		}
	}
	return true, found.Set(replacedNext, false)
}
