package permissions

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Sweep returns the policies that the command sweep needs: the first statement for listing, the others for deleting. The names of what a
// sweep deletes are not known in advance, so the statements apply to all resources; the command itself checks what it may delete.
func Sweep() []policy.Document {
	var list, remove []string
	for _, s := range awstype.Sweeps() {
		list, remove = append(list, s.Reads.Lists()...), append(remove, s.Sweep.Delete...)
	}
	list = append(list, "sts:GetCallerIdentity")
	return split([]policy.Statement{
		{SID: "List", Effect: policy.Allow, Action: unique(list), Resource: policy.List{"*"}},
		{SID: "Delete", Effect: policy.Allow, Action: unique(remove), Resource: policy.List{"*"}},
	})
}

// Adopt returns the policies with which the command adopt finds the resources of any cluster. The engine then reads what it imports: that is
// in the policies of the stack. What a search must look at is not known in advance, so the statement applies to all resources.
func Adopt() []policy.Document {
	actions := []string{"sts:GetCallerIdentity"}
	for _, t := range awstype.All() {
		if t.Adopt.By != awstype.AdoptNever {
			actions = append(actions, slices.Concat(t.Reads.Lists(), t.Reads.Named, t.Find.Actions)...)
		}
	}
	return split([]policy.Statement{{SID: "Adopt", Effect: policy.Allow, Action: unique(actions), Resource: policy.List{"*"}}})
}
