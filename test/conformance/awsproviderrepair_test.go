package conformance

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// repairable is a stack with a rule of a security group, roles with policies, tags, and a boolean of the AWS provider.
func repairable() string {
	config := stackfile.Network(hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, interfaceEndpoints: [sts]")
	return strings.Replace(config, "config:\n", "config:\n  aws:s3UsePathStyle: true\n", 1)
}

// realCLI returns the CLI in a folder with the config of the stack demo, and the account in which the AWS provider and
// the CLI itself work.
func realCLI(t *testing.T, config string) (*harness.CLI, *enginetest.AWS, *moto.Calls, *moto.Account) {
	t.Helper()
	if *awsPlugin == "" {
		t.Skip("NOT TESTED: repairs, adoption and kills with an AWS provider: make conformance AWS_PLUGIN=FOLDER")
	}
	provider, calls, account := realAWS(t, append(stackfile.SeedsFor(t, config), stackfile.ManagementSeeds()[1:]...))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: go\n"),
		0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.demo.yaml"), []byte(account.Text(config)), 0o600))
	c := harness.NewCLI(t, dir, "PULUMI_CONFIG_PASSPHRASE=test", enginetest.WithoutDownloads,
		"PULUMI_SKIP_UPDATE_CHECK=true", harness.StateAfterEachStep)
	path := filepath.Dir(enginetest.EnginePath(t))
	var env []string
	for key, value := range provider.Environ() {
		if key == "PATH" {
			value = path + string(os.PathListSeparator) + value
		}
		env = append(env, key+"="+value)
	}
	return c.With(append(env, "AWS_REGION=us-east-1")...), provider, calls, account
}

// owned returns the networks, subnets, security groups and roles of the cluster demo-x1, and all addresses.
func owned(t *testing.T, account *moto.Account) []string {
	t.Helper()
	return ownedBy(t, account, "demo-x1")
}

// ownedBy returns the same of a cluster by its infra ID.
func ownedBy(t *testing.T, account *moto.Account, infraID string) []string {
	t.Helper()
	var found []string
	filter := []ec2types.Filter{{Name: sdk.String("tag-key"), Values: []string{"kubernetes.io/cluster/" + infraID}}}
	vpcs, err := account.Compute.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{Filters: filter})
	require.NoError(t, err)
	for _, vpc := range vpcs.Vpcs {
		found = append(found, *vpc.VpcId)
	}
	subnets, err := account.Compute.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{Filters: filter})
	require.NoError(t, err)
	for _, subnet := range subnets.Subnets {
		found = append(found, *subnet.SubnetId)
	}
	groups, err := account.Compute.DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{Filters: filter})
	require.NoError(t, err)
	for _, group := range groups.SecurityGroups {
		found = append(found, *group.GroupId)
	}
	addresses, err := account.Compute.DescribeAddresses(t.Context(), &ec2.DescribeAddressesInput{})
	require.NoError(t, err)
	for _, address := range addresses.Addresses {
		found = append(found, *address.AllocationId)
	}
	roles, err := account.Identities.ListRoles(t.Context(), &iam.ListRolesInput{})
	require.NoError(t, err)
	for _, role := range roles.Roles {
		if strings.HasPrefix(*role.RoleName, infraID) {
			found = append(found, *role.RoleName)
		}
	}
	return found
}

// TestWhatHandsChangedIsRepairedAndALostStateAdoptedWithAnAWSProvider: drift names what hands have changed, an update
// after a refresh repairs it, and a stack whose state is lost adopts its account without a change.
func TestWhatHandsChangedIsRepairedAndALostStateAdoptedWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	c, _, _, account := realCLI(t, repairable())
	c.Run("-s", "demo", "up", "--yes")
	c.Run("-s", "demo", "preview", "--expect-no-changes")
	require.NotEmpty(t, owned(t, account))

	byCluster := []ec2types.Filter{{Name: sdk.String("tag-key"), Values: []string{"kubernetes.io/cluster/demo-x1"}}}
	vpcs, err := account.Compute.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{Filters: byCluster})
	require.NoError(t, err)
	require.Len(t, vpcs.Vpcs, 1)
	_, err = account.Compute.DeleteTags(t.Context(), &ec2.DeleteTagsInput{
		Resources: []string{*vpcs.Vpcs[0].VpcId},
		Tags:      []ec2types.Tag{{Key: sdk.String("team")}},
	})
	require.NoError(t, err)
	groups, err := account.Compute.DescribeSecurityGroups(t.Context(),
		&ec2.DescribeSecurityGroupsInput{Filters: byCluster})
	require.NoError(t, err)
	revoked := 0
	for _, group := range groups.SecurityGroups {
		if len(group.IpPermissions) > 0 && *group.GroupName != "default" {
			_, err := account.Compute.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{
				GroupId:       group.GroupId,
				IpPermissions: group.IpPermissions,
			})
			require.NoError(t, err)
			revoked++
		}
	}
	require.Equal(t, 1, revoked)
	const role = "demo-x1-openshift-ingress"
	policies, err := account.Identities.ListRolePolicies(t.Context(),
		&iam.ListRolePoliciesInput{RoleName: sdk.String(role)})
	require.NoError(t, err)
	require.Len(t, policies.PolicyNames, 1)
	_, err = account.Identities.PutRolePolicy(t.Context(), &iam.PutRolePolicyInput{RoleName: sdk.String(role),
		PolicyName:     &policies.PolicyNames[0],
		PolicyDocument: sdk.String(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}`)})
	require.NoError(t, err)

	stdout, stderr, code := c.Exit("-s", "demo", "drift")
	require.Equal(t, 3, code, stdout+stderr)
	for _, changed := range []string{"network-vpc", "network-endpoints-https", "roles-openshift-ingress"} {
		require.Contains(t, stdout+stderr, changed)
	}
	c.Run("-s", "demo", "refresh", "--yes")
	c.Run("-s", "demo", "up", "--yes")
	c.Run("-s", "demo", "drift")

	require.NoError(t, os.RemoveAll(filepath.Join(c.Dir, ".hypershift-aws")))
	before := owned(t, account)
	c.Run("-s", "demo", "adopt", "--yes")
	c.Run("-s", "demo", "preview", "--expect-no-changes")
	c.Run("-s", "demo", "drift")
	require.ElementsMatch(t, before, owned(t, account))
	c.Run("-s", "demo", "destroy", "--yes", "--cluster", "demo")
	require.Empty(t, owned(t, account))
}

// denied is EC2's answer to a request that IAM does not allow.
func denied() (int, string) {
	return http.StatusForbidden, "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors><RequestID>1</RequestID></Response>"
}

// TestARunThatEndsBetweenTheCallsOfACreationIsContinuedWithAnAWSProvider: the CLI, the engine and the provider are
// killed when the provider sends a further request of a creation, or AWS denies that request, so that the engine
// records the resource with an error. The next run takes over what the first has created: nothing is there twice, and
// nothing is left after a deletion.
func TestARunThatEndsBetweenTheCallsOfACreationIsContinuedWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	const revoke = "ec2:RevokeSecurityGroupEgress"
	for name, test := range map[string]struct {
		config, action string
		// group is the name of the security group that the request is about, "" for any resource.
		group  string
		denied bool
	}{
		"a security group with AWS's first rule": {config: repairable(), action: revoke, group: "demo-x1-endpoints"},
		"a security group whose rule is not revoked": {
			config: repairable(),
			action: revoke,
			group:  "demo-x1-endpoints",
			denied: true,
		},
		"a default group with AWS's rules":          {config: repairable(), action: revoke, group: "default"},
		"a default group whose rule is not revoked": {config: repairable(), action: revoke, group: "default", denied: true},
		"a VPC without host names":                  {config: repairable(), action: "ec2:ModifyVpcAttribute", denied: true},
		"a public zone without tags": {
			config: stackfile.Management(stackfile.Managements()["access-keys"]),
			action: "route53:ChangeTagsForResource",
		},
		"a bucket without tags": {
			config: stackfile.Management(stackfile.Managements()["access-keys"]),
			action: "s3:PutBucketTagging",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := test.config
			if !strings.Contains(config, "s3UsePathStyle") {
				config = strings.Replace(config, "config:\n", "config:\n  aws:s3UsePathStyle: true\n", 1)
			}
			c, provider, calls, account := realCLI(t, config)
			existed, ended := account.Zones(), make(chan struct{})
			calls.Stop(test.action, func(ids []string) bool {
				return test.group == "" || slices.Contains(ids, account.Group(test.group))
			}, func() (int, string) {
				defer close(ended)
				if test.denied {
					return denied()
				}
				killAllOf(t, provider.Endpoint)
				return http.StatusServiceUnavailable, "killed"
			})
			_, _, code := c.Exit("-s", "demo", "up", "--yes")
			require.NotZero(t, code)
			<-ended
			c.Run("-s", "demo", "up", "--yes")
			c.Run("-s", "demo", "preview", "--expect-no-changes")
			c.Run("-s", "demo", "drift")
			zones := account.Zones()
			require.Len(t, zones, len(unique(zones)), "a zone is there twice: %v", zones)
			groups, err := account.Compute.DescribeSecurityGroups(t.Context(),
				&ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{
					{Name: sdk.String("tag-key"), Values: []string{"kubernetes.io/cluster/demo-x1"}}}})
			require.NoError(t, err)
			for _, group := range groups.SecurityGroups {
				require.Empty(t, group.IpPermissionsEgress, "AWS's first rule of %s", *group.GroupName)
			}
			if strings.Contains(config, "kind: cluster") {
				c.Run("-s", "demo", "destroy", "--yes", "--cluster", "demo")
			} else {
				c.Run("-s", "demo", "destroy", "--yes")
			}
			require.Empty(t, owned(t, account))
			require.Equal(t, existed, account.Zones())
		})
	}
}

func unique(list []string) map[string]bool {
	set := map[string]bool{}
	for _, one := range list {
		set[one] = true
	}
	return set
}

// killAllOf kills the processes that know the address of AWS's API: the CLI, the engine and the provider of one test.
func killAllOf(t *testing.T, endpoint string) {
	t.Helper()
	killWith(t, "AWS_ENDPOINT_URL="+endpoint+"\x00")
}

// killWith kills the processes with a text in their environment, but for the test's own.
func killWith(t *testing.T, text string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, process := range processes {
		environ, err := os.ReadFile(process)
		if err != nil || !bytes.Contains(environ, []byte(text)) {
			continue // it has ended, or belongs to somebody else
		}
		id, err := strconv.Atoi(strings.Split(process, "/")[2])
		require.NoError(t, err)
		if id != os.Getpid() {
			_ = syscall.Kill(id, syscall.SIGKILL) // it fails for a process that has ended
		}
	}
}
