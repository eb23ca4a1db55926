package offline

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
)

const (
	userToken       = "aws:iam/user:User"
	userPolicyToken = "aws:iam/userPolicy:UserPolicy"
	accessKeyToken  = "aws:iam/accessKey:AccessKey"
)

// IAM's limits for a user, policies in characters without whitespace.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	maxUserPolicies = 2048
	maxAccessKeys   = 2
)

func userKinds() []*kind {
	return []*kind{
		{
			token: userToken, args: iam.UserArgs{}, state: iam.UserState{},
			service: "IAM", noun: "User", calls: calls{update: "UpdateUser"}, global: true,
			named:    "name",
			defaults: props{"forceDestroy": false, "path": "/"},
			valid:    map[string]func(string) string{"name": nameFault(64), "path": pathFault},
			missing:  answer{"NoSuchEntity", "The user with name %s cannot be found."},
			inUse:    answer{"DeleteConflict", "Cannot delete entity, must delete its policies and access keys first. (%s)"},
			rules:    []rule{userNameFree, boundaryExists},
			make: func(c *call) error {
				s := c.rec.State
				c.rec.ID = s.text("name")
				s["arn"] = c.globalARN("iam", "user"+s.text("path")+s.text("name"))
				s["uniqueId"] = newCode("AIDA", 21)
				return nil
			},
		},
		{
			token: userPolicyToken, args: iam.UserPolicyArgs{}, state: iam.UserPolicyState{},
			service: "IAM", noun: "User Policy", calls: calls{"PutUserPolicy", "PutUserPolicy", "DeleteUserPolicy"}, global: true,
			named:    "name",
			required: []string{"policy", "user"},
			apart:    [][]string{{"name", "namePrefix"}},
			computed: []string{"name", "namePrefix"},
			valid:    map[string]func(string) string{"name": nameFault(maxName), "policy": jsonFault},
			forms:    map[string]form{"policy": asDocument},
			replaces: []string{"name", "namePrefix", "user"},
			unique:   []string{"name", "user"},
			refs:     []ref{{"user", userToken, "", blockingPart}},
			missing:  answer{"NoSuchEntity", "The user policy %s cannot be found."},
			rules:    []rule{identityPolicy, userPoliciesFit},
			make: func(c *call) error {
				s := c.rec.State
				c.nameIt()
				c.rec.ID = s.text("user") + ":" + s.text("name")
				return nil
			},
		},
		{
			token: accessKeyToken, args: iam.AccessKeyArgs{}, state: iam.AccessKeyState{},
			service: "IAM", noun: "Access Key", calls: calls{update: "UpdateAccessKey"}, global: true,
			required: []string{"user"},
			defaults: props{"status": "Active"},
			enums:    map[string][]string{"status": {"Active", "Inactive"}},
			replaces: []string{"pgpKey", "user"},
			refs:     []ref{{"user", userToken, "", blockingPart}},
			missing:  answer{"NoSuchEntity", "The Access Key with id %s cannot be found."},
			rules:    []rule{twoAccessKeys},
			make: func(c *call) error {
				s := c.rec.State
				c.rec.ID = newCode("AKIA", 20)
				s["secret"] = randomOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 40)
				s["sesSmtpPasswordV4"] = randomOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 44)
				s["createDate"] = now()
				return nil
			},
		},
	}
}

// userNameFree: user names are unique in an account, whatever their case.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateUser.html
func userNameFree(c *call) error { return nameFree(c, "User with name %s already exists.") }

// userPoliciesFit: all inline policies of a user together have a limit.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
func userPoliciesFit(c *call) error {
	user := c.in().text("user")
	size := documentSize(c.in().text("policy"))
	for _, other := range c.all(userPolicyToken) {
		if other.State.text("user") == user && other.State.text("name") != c.in().text("name") {
			size += documentSize(other.State.text("policy"))
		}
	}
	if size > maxUserPolicies {
		return refuse("LimitExceeded", "Maximum policy size of %d bytes exceeded for user %s", maxUserPolicies, user)
	}
	return nil
}

// twoAccessKeys: a user has two access keys at most.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateAccessKey.html
func twoAccessKeys(c *call) error {
	count := 0
	for _, other := range c.all(accessKeyToken) {
		if other.ID != c.rec.ID && other.State.text("user") == c.in().text("user") {
			count++
		}
	}
	if count >= maxAccessKeys {
		return refuse("LimitExceeded", "Cannot exceed quota for AccessKeysPerUser: %d", maxAccessKeys)
	}
	return nil
}
