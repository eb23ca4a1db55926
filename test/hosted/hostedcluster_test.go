package hosted

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestAHostedClusterIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.WithHostedCluster(t, "      unprotected: true\n").String())
	stack.Up()
	golden.RequireGraph(t, "hostedcluster/graph", stack.Graph(nil, "hosted-cluster"))
	stack.RequireStable()
	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the account")
	for _, o := range stack.Objects() {
		require.Equal(t, "Namespace", o.Kind, strings.TrimSpace(o.ID))
	}
}

func TestAPreviewOfAnotherZoneChangesNeitherTheHostedClusterNorItsPools(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	config := stackfile.WithHostedCluster(t, "      unprotected: true\n")
	stack.Configure(config.String())
	stack.Up()
	config.Zones = stackfile.ZoneNames(3)
	stack.Configure(config.String())
	previewed := stack.Preview()
	require.Equal(t, []string{"aws:ec2/vpcEndpoint:VpcEndpoint network-s3"}, previewed.Of(apitype.OpUpdate),
		"the endpoint gets the zone's route table")
	require.Contains(t, previewed.Of(apitype.OpCreate), "kubernetes:hypershift.openshift.io/v1beta1:NodePool hosted-cluster-demo-us-east-1c")
}

// dependenciesOf returns the resources that a resource is created after and deleted before.
func dependenciesOf(state []apitype.ResourceV3, of resource.URN) map[resource.URN]bool {
	byURN := map[resource.URN]apitype.ResourceV3{}
	for _, r := range state {
		byURN[r.URN] = r
	}
	ground := map[resource.URN]bool{}
	var visit func(resource.URN)
	visit = func(urn resource.URN) {
		r := byURN[urn]
		next := slices.Clone(r.Dependencies)
		for _, urns := range r.PropertyDependencies {
			next = append(next, urns...)
		}
		for _, urn := range next {
			if !ground[urn] {
				ground[urn] = true
				visit(urn)
			}
		}
	}
	visit(of)
	return ground
}

func typed(state []apitype.ResourceV3, kind string) []apitype.ResourceV3 {
	return slices.DeleteFunc(slices.Clone(state), func(r apitype.ResourceV3) bool {
		return !strings.HasSuffix(string(r.Type), kind)
	})
}

func TestAHostedClusterDependsOnEveryAWSResourceExceptEgressAndSOARecords(t *testing.T) {
	t.Parallel()
	const bastion = "      bastion: {}\n      flowLogs: {}\n"
	for name, config := range sizes.Only(t, map[string]stackfile.Cluster{
		"Public":           {Access: hypershift.Public, NAT: network.PerZone, Zones: stackfile.ZoneNames(2)},
		"PublicAndPrivate": {Access: hypershift.PublicAndPrivate, NAT: network.Single, Zones: stackfile.ZoneNames(2), More: ""},
		"Private":          {Access: hypershift.Private, NAT: network.PerZone, Zones: stackfile.ZoneNames(1)},
		"without NAT":      {Access: hypershift.Private, NAT: network.None, Zones: stackfile.ZoneNames(1)},
	}, "Public") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config.More = stackfile.HostedCluster(t, "      unprotected: true\n")
			text := config.String()
			if name == "Public" {
				text = strings.Replace(text, "      interfaceEndpoints:", bastion+"      interfaceEndpoints:", 1)
			}
			stack := harness.NewCluster(t)
			stack.Configure(text)
			stack.Up()
			state := stack.State()
			cluster := typed(state, ":HostedCluster")[1] // the first is the component
			dependencies := dependenciesOf(state, cluster.URN)
			for _, r := range stack.Custom() {
				if !strings.HasPrefix(string(r.Type), "aws:") {
					continue
				}
				nodesAlone := r.Type == "aws:ec2/natGateway:NatGateway" ||
					r.Type == "aws:ec2/route:Route" && r.Inputs["natGatewayId"] != nil
				soa := strings.HasSuffix(r.URN.Name(), "-soa") // nothing looks names up before the cluster exists
				require.Equal(t, !nodesAlone && !soa, dependencies[r.URN], r.URN)
			}
			pools := typed(state, ":NodePool")
			require.Len(t, pools, len(config.Zones))
			for _, pool := range pools {
				before := dependenciesOf(state, pool.URN)
				require.True(t, before[cluster.URN], "a pool is deleted before its cluster")
				for _, r := range append(typed(state, ":NatGateway"), typed(state, ":Route")...) {
					require.True(t, before[r.URN], "%s takes nodes out", r.URN)
				}
			}
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
		})
	}
}

func TestThePreviewRefusesChangesOfImmutableFieldsWithTheReason(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{
		Seeds: append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedPublicZone, Name: "example.org"}),
	})
	config := stackfile.WithHostedCluster(t, "      unprotected: true\n      capabilities: {disabled: [ImageRegistry]}\n      nodePools: [{zone: us-east-1a}]\n").String()
	stack.Configure(config)
	stack.Up()
	for _, change := range sizes.First(5, []struct{ from, to, want string }{
		{"infraID: demo-x1", "infraID: demo-x2", "infraID is immutable"},
		{"    network:", "    network:\n      vpcCIDR: 10.1.0.0/16", "restore the VPC's CIDRs, such as network.vpcCIDR"},
		{"bucketName: demo-oidc", "bucketName: other-oidc", "issuerURL is immutable"},
		{"      unprotected: true", "      externalDNSDomain: hcp.example.com", "Services is immutable"},
		{"    baseDomain: example.com", "    baseDomain: example.org", "baseDomain is immutable"},
		{"    baseDomain: example.com", "    baseDomain: example.com\n    baseDomainPrefix: other",
			"privateZoneID|baseDomainPrefix"},
		{"      unprotected: true", "      serviceCIDRs: [172.30.0.0/16]", "serviceNetwork is immutable"},
		{"      unprotected: true", "      clusterCIDRs: [10.140.0.0/14]", "clusterNetwork is immutable"},
		{"      unprotected: true", "      controllerAvailability: SingleReplica",
			"ControllerAvailabilityPolicy is immutable"},
		{"      unprotected: true", "      fips: true", "fips is immutable"},
		{"      unprotected: true", "      etcdStorageSize: 16Gi", "Etcd PV storage size is immutable"},
		{"      unprotected: true", "      etcdStorageClass: other", "storageClassName is immutable"},
		{"[ImageRegistry]", "[Console]", "apabilities is immutable"},
		{"{zone: us-east-1a}", "{zone: us-east-1a, arch: arm64}", "Arch is immutable|images for amd64 only"},
		{"{zone: us-east-1a}", "{zone: us-east-1a, upgradeType: InPlace}", "UpgradeType is immutable"},
	}) {
		require.Contains(t, config, change.from)
		stack.Configure(strings.Replace(config, change.from, change.to, 1))
		_, err := stack.PreviewErr()
		require.Error(t, err, change.to)
		require.Regexp(t, change.want, err.Error(), change.to)
	}
	stack.Configure(config)
	require.Empty(t, stack.Preview())
	stack.Destroy()
	require.Empty(t, stack.Resources())
}

// HyperShift's operators append a tag to a list that lacks it, and write durations back in their own form, by updates
// that make the fields theirs: see internal/offline/hypershift.
func TestTagsAndDurationsOfARunningClusterCanChangeRepeatedly(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	pool := func(timeout string) string {
		return "      unprotected: true\n      nodePools: [{zone: us-east-1a, spec: {nodeDrainTimeout: " + timeout + "}}]\n"
	}
	for i, more := range []string{
		pool("10m"), "      resourceTags: {added: first}\n" + pool("10m"),
		"      resourceTags: {added: second}\n" + pool("1h30m"), pool("90s"),
	} {
		stack.Configure(stackfile.WithHostedCluster(t, more).String())
		if sizes.All() {
			stack.Preview()
		}
		stack.Up()
		require.Empty(t, stack.Preview(), "after change %d", i)
	}
	stack.Destroy()
}

func TestARenamedContextReplacesNothingOfARunningCluster(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	text := stackfile.WithHostedCluster(t, "      unprotected: true\n").String()
	stack.Configure(text)
	stack.Up()
	stack.Configure(strings.Replace(text, "context: management", "context: the-same-cluster", 1))
	changes := stack.Preview()
	require.Equal(t, []string{"pulumi:providers:kubernetes management-cluster"}, changes.Of(apitype.OpUpdate))
	require.Len(t, changes, 1)
	stack.Configure(text)
	stack.Destroy()
}

func TestObjectsAreCreatedBeforeTheHostedClusterAndDeletedAfterItAndTheirSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	const secret = "$2y$05$canary-of-the-users-file"
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("users", "ada:"+secret+"\n")
	write("kubelet.yaml", "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nspec: {kubeletConfig: {maxPods: 500}}\n")
	const spec = "      spec: {configuration: {oauth: {identityProviders: [{name: users, mappingMethod: claim, type: HTPasswd, htpasswd: {fileData: {name: acme-users}}}]}}}\n"
	config := stackfile.WithHostedCluster(t, `      unprotected: true
      generateSSHKey: true
      nodePools: [{config: [acme-kubelet]}]
      objects:
        - {name: acme-kubelet, files: {config: `+dir+`/kubelet.yaml}}
        - {name: acme-users, kind: Secret, files: {htpasswd: `+dir+`/users}}
`+spec).String()
	stack := harness.NewCluster(t)
	stack.Configure(config)
	stack.Up()
	state := stack.State()
	first := dependenciesOf(state, typed(state, ":HostedCluster")[1].URN)
	names := map[string]bool{}
	for urn := range first {
		names[urn.Name()] = true
	}
	for _, name := range []string{"hosted-cluster-configmap-acme-kubelet", "hosted-cluster-secret-acme-users",
		"hosted-cluster-demo-ssh-key"} {
		require.Contains(t, names, name)
	}
	for _, r := range state {
		for _, form := range harness.FormsOf(secret) {
			require.NotContains(t, fmt.Sprint(r.Inputs, r.Outputs), form, r.URN)
		}
	}
	require.Contains(t, fmt.Sprint(stack.Objects()), base64.StdEncoding.EncodeToString([]byte("ada:"+secret+"\n")),
		"the object has the content")
	stack.RequireStable() // the SSH key is not generated again

	write("users", "ada:plain-text\n")
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, "cluster.hostedCluster.objects[1].files[htpasswd]")
	require.NotContains(t, err.Error(), "plain-text")
	write("users", "ada:"+secret+"2\n")
	require.Equal(t, []string{"kubernetes:core/v1:Secret hosted-cluster-secret-acme-users"},
		stack.Up().Of(apitype.OpUpdate), "in place")
	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the account")
}
