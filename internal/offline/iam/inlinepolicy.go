package iam

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
)

// inlinePolicyOf completes the kind of the inline policies of a role or a user, which the input owner names.
func inlinePolicyOf(owner, ownerType string, k aws.Kind) *aws.Kind {
	k.Service, k.Global, k.AutoName = "IAM", true, "name"
	k.ValidateFunc = map[string]func(string) string{"name": nameFault(maxName), "policy": iampolicy.JSONFault}
	k.UniqueBy = []string{"name", owner}
	k.References = []aws.Reference{{Input: owner, Type: ownerType, Dependency: aws.BlocksDeletionCall}}
	k.ID = aws.Joined(":", owner, "name")
	return &k
}

func checkSizeOfInlinePolicies(c *aws.Call, owner string, most int) error {
	size := DocumentSize(c.State().String("policy")) // of all inline policies of the role or user in the input owner
	for _, other := range c.Others(owner) {
		if other.State.String("name") != c.State().String("name") {
			size += DocumentSize(other.State.String("policy"))
		}
	}
	if size > most {
		return awserr.Errorf("LimitExceeded", "Maximum policy size of %d bytes exceeded for %s %s", most, owner, c.State().String(owner))
	}
	return nil
}
