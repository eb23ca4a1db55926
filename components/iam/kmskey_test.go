package iam

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// policyWith returns the inputs of a role's policy that allows to encrypt with the keys, beside another statement.
func policyWith(keys ...string) resource.PropertyMap {
	statements := []policy.Statement{policy.Allows([]string{"kms:Decrypt"}, "*")}
	if len(keys) > 0 {
		statements = append(statements, policy.Allows([]string{"kms:Encrypt", "kms:Decrypt"}, keys...))
	}
	return resource.PropertyMap{"policy": resource.NewStringProperty(policy.New(statements...).JSON())}
}

func TestTheKeyInARolesPolicyCannotBeChanged(t *testing.T) {
	t.Parallel()
	unknown := resource.PropertyMap{"policy": resource.MakeComputed(resource.NewStringProperty(""))}
	for name, test := range map[string]struct {
		old, updated resource.PropertyMap
		planned      pulumi.StringInput
		isRefused    bool
	}{
		"the same key":  {policyWith("a"), policyWith("a"), pulumi.String("a"), false},
		"another key":   {policyWith("a"), policyWith("b"), pulumi.String("b"), true},
		"an added key":  {policyWith(), policyWith("b"), pulumi.String("b"), true},
		"a removed key": {policyWith("a"), policyWith(), nil, true},
		"another key of an output": {policyWith("a"), policyWith("b"), pulumi.String("b").ToStringOutput(),
			true},
		"another key before the zones":           {policyWith("a"), unknown, pulumi.String("b"), true},
		"the same key before the zone":           {policyWith("a"), unknown, pulumi.String("a"), false},
		"the storage driver's statement goes":    {policyWith("*"), policyWith(), nil, false},
		"it goes before the zone, the key stays": {policyWith("*", "a"), unknown, pulumi.String("a"), false},
		"an unknown key":                         {policyWith("a"), unknown, pulumi.String("b").ToStringOutput(), false},
	} {
		err := judgeKey(test.old, test.updated, test.planned)
		if !test.isRefused {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, "kmsKeyARN", fault.In(err)[0].Path, name)
	}
}

func TestTheIDOfAKMSKeyIsAUUIDOrThatOfAMultiRegionKey(t *testing.T) {
	t.Parallel()
	for id, valid := range map[string]bool{
		"1234abcd-12ab-34cd-a56e-1234567890ab": true, "mrk-1234abcd12ab34cd56ef1234567890ab": true,
		"11111111-2222-3333-4444-555555555555": false, "1234ABCD-12ab-34cd-a56e-1234567890ab": false, "etcd": false,
	} {
		require.Equal(t, valid, kmsKeyID.MatchString(id), id)
	}
}
