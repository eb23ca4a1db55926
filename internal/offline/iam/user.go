package iam

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
)

// IAM's limits for a user. Policies are measured in characters without whitespace.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	maxUserPolicies = 2048
	maxAccessKeys   = 2
)

func userKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.User, Args: iam.UserArgs{}, State: iam.UserState{},
			Service: "IAM", Noun: "User", Calls: aws.Calls{Update: "UpdateUser"}, Global: true,
			AutoName:     "name",
			Unread:       []string{"forceDestroy"},
			ValidateFunc: map[string]func(string) string{"name": nameFault(64), "path": pathFault},
			NotFound:     awserr.Template{Code: "NoSuchEntity", Text: "The user with name %s cannot be found."},
			InUse: awserr.Template{
				Code: "DeleteConflict",
				Text: "Cannot delete entity, must delete its policies and access keys first. (%s)",
			},
			Rules:    []aws.Rule{userNameFree, boundaryExists},
			ID:       aws.Joined("", "name"),
			OnCreate: unique("AIDA"),
		},
		inlinePolicyOf("user", awstype.User, aws.Kind{
			Token: awstype.UserPolicy, Args: iam.UserPolicyArgs{}, State: iam.UserPolicyState{},
			Noun: "User Policy", Calls: aws.Calls{Create: "PutUserPolicy", Update: "PutUserPolicy", Remove: "DeleteUserPolicy"},
			NotFound: awserr.Template{Code: "NoSuchEntity", Text: "The user policy %s cannot be found."},
			Rules:    []aws.Rule{identityPolicy, userPoliciesFit},
		}),
		{
			Token: awstype.AccessKey, Args: iam.AccessKeyArgs{}, State: iam.AccessKeyState{},
			Service: "IAM", Noun: "Access Key", Calls: aws.Calls{Update: "UpdateAccessKey"}, Global: true,
			References: []aws.Reference{{Input: "user", Type: awstype.User, Dependency: aws.BlocksDeletionCall}},
			NotFound:   awserr.Template{Code: "NoSuchEntity", Text: "The Access Key with id %s cannot be found."},
			Rules:      []aws.Rule{twoAccessKeys},
			ID:         func(*aws.Call) string { return ids.Code("AKIA", 20) },
			OnCreate: func(c *aws.Call) error {
				s := c.Resource.State
				s["secret"] = ids.RandomOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 40)
				s["sesSmtpPasswordV4"] = ids.RandomOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 44)
				s["createDate"] = ids.Timestamp()
				return nil
			},
		},
	}
}

// userNameFree: user names are unique in an account, ignoring case.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateUser.html
func userNameFree(c *aws.Call) error { return nameFree(c, "User with name %s already exists.") }

// userPoliciesFit: the inline policies of a user have a common size limit.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
func userPoliciesFit(c *aws.Call) error {
	return checkSizeOfInlinePolicies(c, "user", maxUserPolicies)
}

// twoAccessKeys: a user has at most two access keys.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateAccessKey.html
func twoAccessKeys(c *aws.Call) error {
	if len(c.Others("user")) >= maxAccessKeys {
		return awserr.Errorf("LimitExceeded", "Cannot exceed quota for AccessKeysPerUser: %d", maxAccessKeys)
	}
	return nil
}
