package permissions

import (
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Sweep are the policies that a sweep takes: the first statement to list, the others to delete. What a sweep deletes has no name that
// is known before, so that they are on all resources; its gates are the command's own.
func Sweep() []policy.Document {
	var list, remove []string
	for _, s := range awstype.Sweeps() {
		list, remove = append(list, s.List...), append(remove, s.Delete...)
	}
	list = append(list, "sts:GetCallerIdentity")
	return split([]policy.Statement{
		{SID: "List", Effect: policy.Allow, Action: unique(list), Resource: policy.List{"*"}},
		{SID: "Delete", Effect: policy.Allow, Action: unique(remove), Resource: policy.List{"*"}},
	})
}
