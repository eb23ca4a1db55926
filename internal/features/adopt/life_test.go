package adopt_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// forgetStates drops the stack's state and file, as if something else had created what the account has.
func forgetStates(e *harness.Stack) {
	e.T.Helper()
	require.NoError(e.T, os.RemoveAll(filepath.Join(e.OfflineDir(), "state")))
	require.NoError(e.T, os.RemoveAll(filepath.Join(e.OfflineDir(), "work")))
	require.NoError(e.T, os.Remove(filepath.Join(e.Dir, "Pulumi.test.yaml")))
}

// adopted is a cluster that is adopted in the tests.
type adopted struct {
	name, config string
	// flags are the flags of adopt in addition to the infra ID and the region.
	flags []string
}

const adoptedHead = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
`

// adoptedClusters returns a few clusters that together cover everything that a survey can find.
func adoptedClusters() []adopted {
	all := []adopted{
		{"slots, prefix, second CIDR, Karpenter", adoptedHead + `    baseDomainPrefix: blue
    endpointAccess: PublicAndPrivate
    tags: {team: platform}
    kmsKeyARN: ` + stackfile.KMSKeyARN + `
    network: {zones: [us-east-1a, {name: us-east-1c, slot: 5}], nat: Single, vpcCIDR: 10.20.0.0/18, secondaryCIDR: 10.64.0.0/18,
      dhcpDomainName: corp.example.com, flowLogs: {retentionDays: 90, traffic: REJECT},
      bastion: {sshCIDRs: [198.51.100.0/24, 203.0.113.0/24], sshKey: ` + stackfile.SSHKey + `}}
    iam: {karpenter: true, path: /hs/, extraPolicies: {storage: ["arn:aws:iam::aws:policy/ReadOnlyAccess"]}}
`, nil},
		{"no NAT gateway, Private", adoptedHead + `    endpointAccess: Private
    network: {zones: [us-east-1a, us-east-1b], nat: None, interfaceEndpoints: [nodes],
      flowLogs: {destination: S3, bucketARN: 'arn:aws:s3:::logs/demo'}}
`, nil},
		{"public only, proxy service, ROSA's policies", adoptedHead + `    network: {zones: [us-east-1a, us-east-1b], publicOnly: true,
      proxy: {endpointService: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0}}
    iam: {managedPolicies: true}
`, nil},
		{"shared VPC, zones of the cluster", adoptedHead + `    baseDomainPrefix: none
    endpointAccess: Private
    network: {zones: [us-east-1a], flowLogs: {}, bastion: {},
      shared: {privateZonesIn: Cluster, permissionsBoundary: '` + stackfile.OwnersBoundaryARN + `'}}
    accounts: {vpcOwner: {assumeRole: {roleArn: "arn:aws:iam::210987654321:role/network"}}}
    iam: {sharedRole: true, roleNamePrefix: other}
`, []string{"--vpc-owner-role", "arn:aws:iam::210987654321:role/network"}},
	}
	if sizes.All() {
		for _, c := range stackfile.Clusters() {
			all = append(all, adopted{c.Name(), c.String(), []string{"--endpoint-access", string(c.Access)}})
		}
	}
	return all
}

// adopt adopts the cluster with only the account as input.
func adopt(e *harness.Stack, flags ...string) string {
	e.T.Helper()
	return e.Run(append([]string{"--offline", "-s", "test", "adopt", "--yes", "--infra-id", "demo-x1", "--region",
		"us-east-1"}, flags...)...)
}

func TestAnAdoptedClusterHasTheConfigAndTheStateOfTheOneThatWasCreated(t *testing.T) {
	t.Parallel()
	for _, c := range sizes.Named(t, adoptedClusters(), func(c adopted) string {
		return c.name
	}, "slots, prefix, second CIDR, Karpenter") {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := harness.StackAt(t, t.TempDir())
			e.Configure(c.config)
			created, err := stacks.LoadFile(e.Dir, "test")
			require.NoError(t, err)
			e.Run("--offline", "up", "--yes")
			want, recorded := e.Graph(), recordedResources(e)
			forgetStates(e)

			shown := adopt(e, c.flags...)
			if len(c.flags) == 0 { // tags in another account than the subnet's are set again
				require.NotContains(t, shown, "created (")
			}
			got := e.Graph()
			for urn, text := range got { // inputs whose changes are ignored stay as the provider reads them
				got[urn] = strings.ReplaceAll(text, `,"vpcRegion":"us-east-1"`, "")
			}
			require.Empty(t, harness.Differences(want, got), "the state")
			require.Equal(t, recorded, recordedResources(e), "the outputs of resources that are written into the state")
			e.RequireTrue()
			adopted, err := stacks.LoadFile(e.Dir, "test")
			require.NoError(t, err)
			require.Equal(t, plainConfig(created), plainConfig(adopted), "the config")
			require.Contains(t, adoptAgain(e), "nothing to do")
			e.Run("--offline", "destroy", "--yes")
			require.Empty(t, harness.MadeIn(t, e.OfflineDir()), "what destroy left in the account")
		})
	}
}

// recordedResources returns the outputs of the resources that adopt writes into the state without an import, by name.
func recordedResources(e *harness.Stack) map[string]any {
	e.T.Helper()
	outputs := map[string]any{}
	for _, r := range e.State() {
		if how, _ := awstype.AdoptionOf(string(r.Type)); how.By == awstype.AdoptByWriting {
			outputs[r.URN.Name()] = r.Outputs
		}
	}
	return outputs
}

// adoptAgain runs adopt without flags, and returns its output.
func adoptAgain(e *harness.Stack) string {
	e.T.Helper()
	stdout, stderr, code := e.Exit("--offline", "adopt", "--yes")
	require.Zero(e.T, code, "%s%s", stdout, stderr)
	return stderr
}

// plainConfig returns a cluster's config without what two files may write in two ways.
func plainConfig(f *config.File) config.Cluster {
	c := *config.As[*config.Cluster](f)
	c.Network.InterfaceEndpoints = nil // the graph has them
	if len(c.Network.Zones) == 1 {
		c.Network.NAT = "" // PerZone and Single are one
	}
	for i := range c.Network.Zones {
		slot := i
		if c.Network.Zones[i].Slot == nil {
			c.Network.Zones[i].Slot = &slot
		}
	}
	if c.Network.Proxy != nil || c.Network.PublicOnly {
		c.Network.NAT = ""
	}
	c.IAM.ExtraPolicies = nil // the graph has them
	c.Accounts = config.Accounts{}
	return c
}

// tamper changes the records of a type in the cluster's account outside of all stacks.
func tamper(e *harness.Stack, token string, change func(state map[string]any) bool) {
	e.T.Helper()
	paths, err := filepath.Glob(filepath.Join(e.OfflineDir(), "accounts", stackfile.ClusterAccount, "*", token, "*.json"))
	require.NoError(e.T, err)
	objects, err := filepath.Glob(filepath.Join(e.OfflineDir(), "clusters", "*", "*", token, "*.json"))
	require.NoError(e.T, err)
	paths = append(paths, objects...)
	changed := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(e.T, err)
		var record map[string]any
		require.NoError(e.T, json.Unmarshal(text, &record))
		if !change(record["state"].(map[string]any)) {
			continue
		}
		changed++
		text, err = json.Marshal(record)
		require.NoError(e.T, err)
		require.NoError(e.T, os.WriteFile(path, text, 0o600))
	}
	require.NotZero(e.T, changed, "no %s was changed", token)
}

// untag removes tags from a record, and adds others.
func untag(state map[string]any, add map[string]any, remove ...string) {
	for _, list := range []string{"tags", "tagsAll"} {
		tags, _ := state[list].(map[string]any)
		for _, key := range remove {
			delete(tags, key)
		}
		maps.Copy(tags, add)
	}
}

// makeLikeHyperShifts changes the details of a cluster that HyperShift's CLI creates differently.
func makeLikeHyperShifts(e *harness.Stack) {
	e.T.Helper()
	later := []string{"hypershift.openshift.io/infra-id", "hypershift.openshift.io/cluster-name"}
	signed := map[string]any{"hypershift.openshift.io/source": "cli"}
	for _, token := range []string{"ec2.Vpc", "ec2.InternetGateway", "ec2.NatGateway", "ec2.Eip"} {
		tamper(e, token, func(state map[string]any) bool { untag(state, signed, later...); return true })
	}
	tamper(e, "ec2.Subnet", func(state map[string]any) bool {
		untag(state, map[string]any{"cost": "42"}, later...)
		return true
	})
	tamper(e, "ec2.RouteTable", func(state map[string]any) bool {
		if state["tagsAll"] == nil || state["tagsAll"].(map[string]any)["Name"] == nil {
			return false
		}
		untag(state, map[string]any{"Name": "renamed"}, later...)
		return true
	})
	audience := regexp.MustCompile(`"[^"]+:aud":\[[^]]*\],`)
	tamper(e, "iam.Role", func(state map[string]any) bool {
		trust := state["assumeRolePolicy"].(string)
		state["assumeRolePolicy"] = audience.ReplaceAllString(trust, "")
		return trust != state["assumeRolePolicy"]
	})
	tamper(e, "iam.RolePolicy", func(state map[string]any) bool {
		before := state["policy"].(string)
		state["policy"] = strings.ReplaceAll(before, ":role/demo-x1-worker-role", ":role/*-worker-role")
		return before != state["policy"]
	})
	open := []any{map[string]any{"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": []any{"0.0.0.0/0"}}}
	tamper(e, "ec2.SecurityGroup", func(state map[string]any) bool {
		state["egress"] = open
		return state["name"] == "default"
	})
	tamper(e, "ec2.DefaultSecurityGroup", func(state map[string]any) bool { state["egress"] = open; return true })
}

func TestDetailsThatHyperShiftsCLILeavesDifferentlyAreUpdatedInPlace(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	e.Configure(stackfile.Cluster{
		Access: hypershift.PublicAndPrivate,
		NAT:    network.PerZone,
		Zones:  stackfile.ZoneNames(2),
	}.String())
	e.Run("--offline", "up", "--yes")
	forgetStates(e)
	makeLikeHyperShifts(e)
	before := idsIn(t, e.OfflineDir())

	preview := []string{"--offline", "-s", "test", "adopt", "--preview", "--infra-id", "demo-x1", "--region", "us-east-1"}
	_, stderr, code := e.Exit(preview...)
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "the default security group of VPC vpc-")
	require.Contains(t, stderr, "--default-security-group keep")
	require.NoFileExists(t, filepath.Join(e.Dir, "Pulumi.test.yaml"))

	shown := e.Run(append(preview, "--default-security-group", "keep")...)
	for _, line := range []string{
		"tags[hypershift.openshift.io/infra-id]: (none) -> demo-x1", "tags[hypershift.openshift.io/source]: cli -> (none)",
		"tags[cost]: 42 -> (none)", "tags[Name]: renamed -> demo-x1-private-us-east-1b", "assumeRolePolicy.Statement[0]",
	} {
		require.Contains(t, shown, line)
	}
	require.NotContains(t, shown, "created (")
	require.Regexp(t, `not adopted \(\d+\)`, shown)
	require.Equal(t, before, idsIn(t, e.OfflineDir()), "a preview changes nothing")

	e.Run("--offline", "adopt", "--yes")
	require.Equal(t, before, idsIn(t, e.OfflineDir()), "nothing is replaced, deleted or created")
	e.Run("--offline", "preview", "--expect-no-changes")
	require.Contains(t, adoptAgain(e), "nothing to do")
}

// HyperShift's CLI creates the proxy's endpoint in one subnet, behind a group with another description, which AWS
// cannot change.
func TestAProxyEndpointOfHyperShiftsCLIIsAdoptedInPlace(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	e.Configure(adoptedHead + `    network: {zones: [us-east-1a, us-east-1b], publicOnly: true,
      proxy: {endpointService: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0}}
`)
	e.Run("--offline", "up", "--yes")
	forgetStates(e)
	tamper(e, "ec2.SecurityGroup", func(state map[string]any) bool {
		if name, _ := state["name"].(string); !strings.HasSuffix(name, "-proxy-sg") {
			return false
		}
		state["description"] = "proxy security group"
		return true
	})
	tamper(e, "ec2.VpcEndpoint", func(state map[string]any) bool {
		subnets, _ := state["subnetIds"].([]any)
		if len(subnets) != 2 {
			return false
		}
		state["subnetIds"] = subnets[:1]
		return true
	})
	before := idsIn(t, e.OfflineDir())
	require.Contains(t, adopt(e), "      subnetIds: ")
	require.Equal(t, before, idsIn(t, e.OfflineDir()), "nothing is replaced, deleted or created")
	e.Run("--offline", "preview", "--expect-no-changes")
}

// idsIn returns the types and IDs of all resources in the accounts.
func idsIn(t *testing.T, dir string) []string {
	t.Helper()
	var ids []string
	for _, r := range harness.MadeIn(t, dir) {
		ids = append(ids, r.Type+" "+r.ID)
	}
	return ids
}
