package hostedcluster_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// existingCluster returns a HostedCluster that names a subnet.
func existingCluster() hostedcluster.ExistingCluster {
	return hostedcluster.ExistingCluster{
		Name: "demo", InfraID: "demo-x1", Release: "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64",
		Zone:     "us-east-1a",
		SubnetID: pulumi.String("subnet-0123456789abcdef0"),
	}
}

func TestNodePoolsOfAnExistingClusterAreValidated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*hostedcluster.NodePoolsArgs)
		// want is the path and the problem of the only fault, "" for none.
		want string
	}{
		"one pool": {func(*hostedcluster.NodePoolsArgs) {}, ""},
		"an output": {func(a *hostedcluster.NodePoolsArgs) {
			a.HostedCluster.SubnetID = pulumi.String("subnet-1").ToStringOutput()
		}, ""},
		"no pool":      {func(a *hostedcluster.NodePoolsArgs) { a.NodePools = nil }, "nodePools is missing"},
		"no name":      {func(a *hostedcluster.NodePoolsArgs) { a.NodePools[0].Name = "" }, "nodePools[0].name is missing"},
		"a name twice": {func(a *hostedcluster.NodePoolsArgs) { a.NodePools = append(a.NodePools, a.NodePools[0]) }, "nodePools[1].name is already the name of nodePools[0]"},
		"no cluster":   {func(a *hostedcluster.NodePoolsArgs) { a.HostedCluster.Name = "" }, "hostedCluster.name is missing"},
		"no infra ID": {func(a *hostedcluster.NodePoolsArgs) {
			a.HostedCluster.InfraID = ""
		}, "hostedCluster.infraID is missing"},
		"no release": {func(a *hostedcluster.NodePoolsArgs) {
			a.HostedCluster.Release = ""
		}, "hostedCluster.release is missing"},
		"no subnet": {func(a *hostedcluster.NodePoolsArgs) {
			a.HostedCluster.SubnetID = nil
		}, "nodePools[0].subnetID is missing, and the HostedCluster names no subnet"},
		"a pool's own subnet": {func(a *hostedcluster.NodePoolsArgs) {
			a.HostedCluster.SubnetID, a.NodePools[0].SubnetID = nil, pulumi.String("subnet-01234567")
		}, ""},
		"a zone with its own subnet": {func(a *hostedcluster.NodePoolsArgs) {
			a.NodePools[0].Zone, a.NodePools[0].SubnetID = "us-east-1b", pulumi.String("subnet-01234567")
		}, ""},
		"a zone without a subnet": {func(a *hostedcluster.NodePoolsArgs) { a.NodePools[0].Zone = "us-east-1b" },
			"nodePools[0].zone is not the zone of the subnet that the HostedCluster names"},
		"HyperShift's rule": {func(a *hostedcluster.NodePoolsArgs) {
			a.NodePools[0].Tenancy = "shared"
		}, "nodePools[0].tenancy is refused by HyperShift's API: unsupported value"},
		"an object that no key fits": {func(a *hostedcluster.NodePoolsArgs) {
			a.NodePools[0].Config = []string{"kubelet"}
			a.Referred = []hostedcluster.Referred{{
				Name: "kubelet",
				Data: map[string]pulumi.StringInput{"other": pulumi.String("x")},
			}}
		}, "objects[0].data has no key config, which spec.config[].name reads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := &hostedcluster.NodePoolsArgs{
				HostedCluster: existingCluster(),
				NodePools:     []hostedcluster.NodePool{{Name: "gpu"}},
			}
			test.change(args)
			err := args.Validate()
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			found := fault.In(err)
			require.Len(t, found, 1, err)
			require.True(t, strings.HasPrefix(found[0].Path+" "+found[0].Problem, test.want), "%s %s", found[0].Path,
				found[0].Problem)
		})
	}
}

func TestTheManifestsOfNodePoolsHaveTheClustersReleaseAndProfile(t *testing.T) {
	t.Parallel()
	args := &hostedcluster.NodePoolsArgs{
		HostedCluster: existingCluster(),
		NodePools:     []hostedcluster.NodePool{{Name: "gpu", Config: []string{"kubelet"}}},
	}
	args.Referred = []hostedcluster.Referred{{Name: "kubelet", Data: map[string]pulumi.StringInput{"config": pulumi.String(
		"apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: pods}\nspec: {kubeletConfig: {maxPods: 500}}\n")}}}
	manifests, err := args.Manifests()
	require.NoError(t, err)
	require.Len(t, manifests, 2)
	require.Equal(t, "10-configmap-kubelet.yaml", manifests[0].File)
	require.Equal(t, "30-nodepool-gpu.yaml", manifests[1].File)
	spec := manifests[1].Object["spec"].(map[string]any)
	require.Equal(t, "demo", spec["clusterName"])
	require.Equal(t, map[string]any{"image": existingCluster().Release}, spec["release"])
	aws := spec["platform"].(map[string]any)["aws"].(map[string]any)
	require.Equal(t, "demo-x1-worker", aws["instanceProfile"])
	require.Equal(t, map[string]any{"id": "subnet-0123456789abcdef0"}, aws["subnet"])
}

// TestValuesWithWhichAPoolNeverHasNodesAreRefused: HyperShift's API accepts them, EC2 and Kubernetes don't.
func TestValuesWithWhichAPoolNeverHasNodesAreRefused(t *testing.T) {
	t.Parallel()
	for want, pool := range map[string]hostedcluster.NodePool{
		"nodePools[0].capacityReservation.id is missing":     {CapacityReservation: &hostedcluster.CapacityReservation{CapacityBlocks: true}},
		`nodePools[0].rootVolume.iops: "4000" has no effect`: {RootVolume: &hostedcluster.RootVolume{Type: "gp2", IOPS: 4000}},
		"nodePools[0].rootVolume.iops is missing":            {RootVolume: &hostedcluster.RootVolume{Type: "io1"}},
		`nodePools[0].labels[a b]: "a b" is not the key of`:  {Labels: map[string]string{"a b": "c"}},
		`nodePools[0].taints[1].key: "a" has the effect NoSchedule in taints[0] already`: {
			Taints: []hostedcluster.Taint{{Key: "a", Effect: "NoSchedule"}, {Key: "a", Effect: "NoSchedule"}},
		},
	} {
		s := settings()
		pool.Zone = site().Zones[0].Name
		s.NodePools = []hostedcluster.NodePool{pool}
		_, err := s.Objects(site())
		require.ErrorContains(t, err, want)
	}
}

// TestNodesNeedAReleaseOfTheirArchitecture: HyperShift's operator compares the architecture of the HostedCluster's
// release with that of a pool, and images of the pool's own release run on its nodes.
func TestNodesNeedAReleaseOfTheirArchitecture(t *testing.T) {
	t.Parallel()
	const image = "quay.io/openshift-release-dev/ocp-release:4.20.1-"
	const digest = "quay.io/openshift-release-dev/ocp-release@sha256:" +
		"0000000000000000000000000000000000000000000000000000000000000000"
	for _, test := range []struct {
		release string
		pool    hostedcluster.NodePool
		refused string
	}{
		{image + "multi", hostedcluster.NodePool{Arch: hostedcluster.ARM64}, ""},
		{image + "aarch64", hostedcluster.NodePool{Arch: hostedcluster.ARM64}, ""},
		{image + "x86_64", hostedcluster.NodePool{}, ""},
		{digest, hostedcluster.NodePool{Arch: hostedcluster.ARM64}, ""},
		{"mirror.example.org:5000/ocp/release:4.20.1", hostedcluster.NodePool{Arch: hostedcluster.ARM64}, ""},
		{image + "x86_64", hostedcluster.NodePool{Arch: hostedcluster.ARM64}, `nodePools[0].arch: "arm64" is the architecture`},
		{image + "multi-x86_64", hostedcluster.NodePool{Arch: hostedcluster.ARM64}, "has images for amd64 only"},
		{image + "aarch64", hostedcluster.NodePool{}, "or nodes with arch arm64"},
		{image + "ppc64le", hostedcluster.NodePool{}, "images for ppc64le only; use the release with -multi in its tag"},
		{image + "multi", hostedcluster.NodePool{Arch: hostedcluster.ARM64, Release: image + "x86_64"}, "nodePools[0].arch"},
		{image + "x86_64", hostedcluster.NodePool{Spec: map[string]any{"arch": "arm64"}}, "nodePools[0].spec.arch"},
	} {
		s := settings()
		s.Release = test.release
		test.pool.Zone = site().Zones[0].Name
		s.NodePools = []hostedcluster.NodePool{test.pool}
		_, err := s.Objects(site())
		if test.refused == "" {
			require.NoError(t, err, test)
			continue
		}
		require.ErrorContains(t, err, test.refused)
	}
	s := settings()
	s.Release, s.Spec = image+"x86_64", map[string]any{"release": map[string]any{"image": image + "aarch64"}}
	s.NodePools = []hostedcluster.NodePool{{Zone: site().Zones[0].Name}}
	_, err := s.Objects(site())
	require.ErrorContains(t, err, "aarch64")
}

func TestARuleOfAPoolNamesAKeyThatIsSet(t *testing.T) {
	t.Parallel()
	for want, pool := range map[string]hostedcluster.NodePool{
		"nodePools[0] is refused by HyperShift's API": {ImageType: "Windows", Arch: "arm64"},
		"nodePools[0].capacityReservation is refused by HyperShift's API": {
			Tenancy: "host", CapacityReservation: &hostedcluster.CapacityReservation{Preference: "Open"},
		},
	} {
		s := settings()
		pool.Zone = site().Zones[0].Name
		s.NodePools = []hostedcluster.NodePool{pool}
		_, err := s.Objects(site())
		require.ErrorContains(t, err, want)
	}
}

func TestAPoolsMetadataServiceAndStreamAreInItsObject(t *testing.T) {
	t.Parallel()
	const tokens = "hypershift.openshift.io/ec2-instance-metadata-http-tokens"
	pool := func(p hostedcluster.NodePool) (map[string]any, error) {
		s := settings()
		s.NodePools = []hostedcluster.NodePool{p}
		objects, err := s.Objects(site())
		if err != nil {
			return nil, err
		}
		return objects.NodePools[0], nil
	}
	object, err := pool(hostedcluster.NodePool{
		HTTPTokens: hostedcluster.TokensRequired, OSImageStream: "rhel-10",
		Annotations: map[string]string{"team": "platform"},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"team": "platform", tokens: "required"}, at(object, "metadata", "annotations"))
	require.Equal(t, map[string]any{"name": "rhel-10"}, at(object, "spec", "osImageStream"))

	object, err = pool(hostedcluster.NodePool{})
	require.NoError(t, err)
	require.Nil(t, at(object, "metadata", "annotations"), "the object of an existing pool does not change")

	for want, p := range map[string]hostedcluster.NodePool{
		"nodePools[0].annotations[" + tokens + `]: "Required" is not a value of EC2's HttpTokens; use required or optional`: {
			Annotations: map[string]string{tokens: "Required"},
		},
		"nodePools[0].annotations[" + tokens + `]: "optional" conflicts with httpTokens`: {
			HTTPTokens: hostedcluster.TokensRequired, Annotations: map[string]string{tokens: "optional"},
		},
		`nodePools[0].httpTokens: "v2" is not a value of EC2's HttpTokens`:  {HTTPTokens: "v2"},
		`nodePools[0].osImageStream: "RHEL 10" is not the name of a stream`: {OSImageStream: "RHEL 10"},
		`nodePools[0].osImageStream: "rhel10" is not the name of a stream`:  {OSImageStream: "rhel10"},
	} {
		_, err := pool(p)
		require.ErrorContains(t, err, want)
	}
}
