package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// allowing returns policies that allow actions on everything.
func allowing(actions ...string) func(string) []policy.Document {
	return func(string) []policy.Document {
		return []policy.Document{policy.New(policy.Statement{
			Effect:   policy.Allow,
			Action:   actions,
			Resource: policy.List{"*"},
		})}
	}
}

func TestARequestWithoutAPolicyIsRefusedAsAWSRefusesIt(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	e := attach(t, server, props.Map{"region": "us-east-1"})
	vpc := props.Map{"cidrBlock": "10.0.0.0/16", "tags": map[string]any{"a": "1"}}
	server.Watch(allowing("ec2:CreateVpc"))
	_, _, err := e.try(awstype.VPC, vpc, false)
	refused(t, err, "UnauthorizedOperation")
	require.ErrorContains(t, err, "operation error EC2: CreateTags, api error")
	require.ErrorContains(t, err, "is not authorized to perform: ec2:CreateTags on resource: arn:aws:ec2:us-east-1:123456789012:vpc/vpc-")
	require.Empty(t, resourcesIn(t, server), "a creation that is refused leaves nothing")

	server.Watch(allowing("iam:TagRole"))
	_, _, err = e.try(awstype.Role, props.Map{"name": "demo", "assumeRolePolicy": trustText}, false)
	refused(t, err, "AccessDenied")
	_, err = e.invoke("aws:ec2/getVpc:getVpc", props.Map{"default": true})
	require.Error(t, err)

	server.Watch(allowing("ec2:CreateVpc", "ec2:CreateTags"))
	_, _, err = e.try(awstype.VPC, vpc, false)
	require.ErrorContains(t, err, "DescribeVpcs, api error UnauthorizedOperation")
	require.Len(t, resourcesIn(t, server), 1, "the VPC exists, although the provider may not read it")

	server.Watch(allowing("ec2:*"))
	id := e.id(awstype.VPC, vpc)
	_, err = e.update(awstype.VPC, id, vpc, props.Map{"cidrBlock": "10.0.0.0/16", "tags": map[string]any{"b": "1"}})
	require.NoError(t, err)
	require.NoError(t, e.delete(awstype.VPC, id))
	var changes []string
	for _, r := range server.Requests() {
		if r.Operation != "reading" {
			changes = append(changes, r.Action)
		}
	}
	require.Equal(t, []string{
		"ec2:CreateVpc", "ec2:CreateTags", "ec2:CreateTags", "ec2:DeleteTags", "ec2:DeleteVpc", "ec2:DescribeVpcs",
	}, changes)

	server.Watch(allowing("ec2:Describe*"))
	other := attach(t, server, props.Map{"region": "us-east-1"})
	refused(t, other.delete(awstype.VPC, id), "UnauthorizedOperation")
}

// resourcesIn returns the resources in the server's accounts.
func resourcesIn(t *testing.T, server *Server) (all []Resource) {
	t.Helper()
	accounts, err := Accounts(server.dir)
	require.NoError(t, err)
	for _, account := range accounts {
		all = append(all, account.Resources()...)
	}
	return all
}

func TestEveryTypeAndFunctionHasItsRequests(t *testing.T) {
	t.Parallel()
	for _, token := range Tokens() {
		if len(aws.RequestActions(token)) == 0 {
			require.Contains(t, []string{"aws:index/getCallerIdentity:getCallerIdentity", "aws:index/getPartition:getPartition",
				"aws:index/getRegion:getRegion"}, token)
		}
	}
}
