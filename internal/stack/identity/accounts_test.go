package identity

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

func TestTheProviderOfTheAWSKeysIsTheStacksOwn(t *testing.T) {
	t.Parallel()
	require.True(t, IsOwnProvider("urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::default_6_83_4::0a1b"))
	require.False(t, IsOwnProvider("urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::vpc-owner-account::0a1b"))
}

func TestAProgramComparesTheAccountOfItsOwnCredentialsWithTheLastState(t *testing.T) {
	t.Parallel()
	const vpc, role = "arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1", "arn:aws:iam::210987654321:role/owner"
	const own, further = "pulumi:providers:aws::default_6_83_4", "pulumi:providers:aws::vpc-owner-account"
	for name, c := range map[string]struct {
		providers, arns []string
		account         string
		refused         bool
	}{
		"the same account": {[]string{own}, []string{vpc}, "123456789012", false},
		"another account":  {[]string{own}, []string{vpc}, "210987654321", true},
		"two versions of the own provider, another account": {[]string{own, own + "0"}, []string{vpc}, "210987654321",
			true},
		"two accounts, one of them": {[]string{own, further}, []string{vpc, role}, "123456789012",
			false},
		"two accounts, none of them": {[]string{own, further}, []string{vpc, role}, "333333333333",
			true},
		"one account, which may be that of the other": {[]string{own, further}, []string{role}, "123456789012",
			false},
		"the account cannot be looked up": {[]string{own}, []string{vpc}, "", false},
		"ARNs without an account": {[]string{own},
			[]string{"arn:aws:s3:::bucket", "arn:aws:route53:::hostedzone/Z1"}, "123456789012", false},
		"a first update": {nil, nil, "123456789012", false},
		"a stack whose resources have been released, but one": {[]string{own}, []string{"", vpc}, "210987654321", true},
	} {
		last := stacks.LastState{Stack: "dev", Outputs: map[string]map[string]any{}}
		for _, provider := range c.providers {
			last.Outputs["urn:pulumi:dev::hypershift-aws::"+provider] = map[string]any{"region": "us-east-1"}
		}
		for i, arn := range c.arns {
			last.Outputs[fmt.Sprintf("urn:pulumi:dev::hypershift-aws::aws:ec2/vpc:Vpc::%d", i)] = map[string]any{"arn": arn}
		}
		err := CheckOwnAccount(last, func() (string, error) {
			if c.account == "" {
				return "", errors.New("no credentials")
			}
			return c.account, nil
		})
		require.Equal(t, c.refused, err != nil, name)
		if c.refused {
			require.ErrorContains(t, err, "the credentials of aws: are of account "+c.account, name)
		}
	}
}

// A provider in another region finds none of the stack's resources; IAM and Route 53 have none.
func TestARegionWithoutTheStacksResourcesIsRefused(t *testing.T) {
	t.Parallel()
	const own, further = "urn:pulumi:dev::p::pulumi:providers:aws::default_6_83_4", "urn:pulumi:dev::p::pulumi:providers:aws::hub"
	provider := func(urn, region string) *state.Resource {
		return &state.Resource{ResourceV3: apitype.ResourceV3{URN: resource.URN(urn), ID: "1", Type: "pulumi:providers:aws",
			Custom: true, Inputs: map[string]any{"region": region}}}
	}
	of := func(token, provider string) *state.Resource {
		return &state.Resource{ResourceV3: apitype.ResourceV3{URN: "urn:pulumi:dev::p::" + resource.URN(token) + "::x",
			Type: tokens.Type(token), Custom: true, Provider: provider + "::1"}}
	}
	bucket, role := of("aws:s3/bucketV2:BucketV2", own), of("aws:iam/role:Role", own)
	resources := []*state.Resource{provider(own, "us-east-1"), provider(further, "eu-west-1"), role, bucket,
		of("aws:ec2/vpc:Vpc", further)}
	require.Equal(t, "us-east-1", RegionOf(resources, ""))
	require.Equal(t, "eu-west-1", RegionOf(resources, "hub"))
	require.Empty(t, RegionOf(resources[:3], ""), "all are global")
	require.NoError(t, CheckRegion("dev", "us-east-1", "aws:region", "us-east-1"))
	require.NoError(t, CheckRegion("dev", "", "aws:region", "us-west-2"))
	err := CheckRegion("dev", "us-east-1", "aws:region", "us-west-2")
	require.Equal(t, failure.Refused, failure.ReasonOf(err))
	require.ErrorContains(t, err, "aws:region is us-west-2")

	last := stacks.LastState{Stack: "dev", Region: "us-west-2", Outputs: map[string]map[string]any{
		own: {"region": "us-east-1"}, "urn:pulumi:dev::p::aws:iam/role:Role::x": {},
	}}
	account := func() (string, error) { return "", errors.New("not asked") }
	require.NoError(t, CheckOwnAccount(last, account), "all are global")
	last.Outputs["urn:pulumi:dev::p::aws:kms/key:Key::x"] = map[string]any{}
	require.ErrorContains(t, CheckOwnAccount(last, account), "restore aws:region: us-east-1")
}
