package inmemory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
)

// What IAM's simulator answers for the policies of a rehearsal: a condition whose key the simulation does not have, and
// a resource that is a pattern, leave a doubt; a policy that denies does not.
func TestARehearsalsPoliciesAreSimulatedAsIAMDoes(t *testing.T) {
	t.Parallel()
	document := policy.New(
		policy.Statement{Effect: policy.Allow, Action: policy.List{"ec2:*"}, Resource: policy.List{"arn:aws:ec2:*:*:vpc/*"}},
		policy.Statement{Effect: policy.Allow, Action: policy.List{"iam:CreateRole"}, Resource: policy.List{"*"},
			Condition: policy.Condition{"StringEquals": {"aws:ResourceTag/team": {"a"}}}},
		policy.Statement{Effect: policy.Deny, Action: policy.List{"ec2:DeleteVpc"}, Resource: policy.List{"*"}},
	)
	server, err := offline.Serve(offline.Options{Dir: t.TempDir(),
		Rehearsal: faults.Rehearsal{Documents: []policy.Document{document}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	in := NewAccount(server, map[string]any{"region": "us-east-1"})
	caller, err := in.Identity(t.Context())
	require.NoError(t, err)
	for name, want := range map[string]struct {
		action, resource string
		denials          []account.Denial
	}{
		"allowed": {"ec2:CreateVpc", "arn:aws:ec2:us-east-1:123456789012:vpc/*", nil},
		"another": {"ec2:CreateVpc", "arn:aws:ec2:us-east-1:123456789012:subnet/s", []account.Denial{{
			Action: "ec2:CreateVpc",
			By:     "no policy allows it",
		}}},
		"a pattern": {"ec2:CreateVpc", "arn:aws:ec2:us-east-1:123456789012:subnet/*", []account.Denial{{
			Action: "ec2:CreateVpc",
			By:     "no policy allows it",
			Unsure: true,
		}}},
		"every resource": {"ec2:CreateVpc", "*", []account.Denial{{Action: "ec2:CreateVpc", By: "no policy allows it"}}},
		"an unknown key": {"iam:CreateRole", "arn:aws:iam::123456789012:role/r", []account.Denial{{
			Action: "iam:CreateRole",
			By:     "no policy allows it",
			Unsure: true,
		}}},
		"denied": {"ec2:DeleteVpc", "arn:aws:ec2:us-east-1:123456789012:vpc/*", []account.Denial{{
			Action: "ec2:DeleteVpc",
			By:     "a policy denies it",
		}}},
	} {
		denials, err := in.Simulate(t.Context(), caller, policy.Statement{
			Effect: policy.Allow, Action: policy.List{want.action}, Resource: policy.List{want.resource}})
		require.NoError(t, err, name)
		require.Equal(t, want.denials, denials, name)
	}
}

// The lookup says in different words that there is none: of a name that AWS refuses, and of one that nothing matches.
func TestAMissingEndpointServiceIsNoErrorOfPreflight(t *testing.T) {
	t.Parallel()
	server, err := offline.Serve(offline.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	in := NewAccount(server, map[string]any{"region": "us-east-1"})
	for service, want := range map[string]bool{
		"com.amazonaws.us-east-1.sts":                             true,
		"com.amazonaws.eu-west-1.sts":                             false,
		"com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0": false,
	} {
		_, exists, err := in.ServiceZones(t.Context(), service)
		require.NoError(t, err, service)
		require.Equal(t, want, exists, service)
	}
}
