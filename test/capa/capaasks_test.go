package capa

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// runCAPA brings a cluster up without the engine in an account with the seeds.
func runCAPA(t *testing.T, section map[string]any, seeds []offline.Seed) error {
	t.Helper()
	text, err := json.Marshal(section)
	require.NoError(t, err)
	if !slices.ContainsFunc(seeds, func(s offline.Seed) bool { return s.Kind == offline.SeedImage }) {
		seeds = append(seeds, offline.Seed{Kind: offline.SeedImage, Name: stackfile.OwnImage, InstanceType: "t3.large"})
	}
	return graph.Run(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: seeds},
		map[string]string{"aws:region": "us-east-1", "hypershift-aws:kind": "capa", "hypershift-aws:capa": string(text)})
}

func TestExistingResourcesOfCAPAAreNotChanged(t *testing.T) {
	t.Parallel()
	require.NoError(t, runCAPA(t, stackfile.InSeededVPC(true, map[string]any{"sshKeyName": "ops"}),
		append(stackfile.SeededVPC(nil),
			offline.Seed{Kind: offline.SeedKeyPair, Name: "ops"})))
}

func TestTheDefaultVPCIsUsedWhereNoneIsSpecified(t *testing.T) {
	t.Parallel()
	section := stackfile.InSeededVPC(true, nil)
	existing := section["network"].(map[string]any)["existing"].(map[string]any)
	delete(existing, "vpcID")
	require.NoError(t, runCAPA(t, section, stackfile.SeededVPC(func(s *offline.Seed) {
		if s.Name == stackfile.CAPAVPC {
			s.Kind = offline.SeedDefaultVPC
		}
	})))
	require.ErrorContains(t, runCAPA(t, section, stackfile.SeededVPC(nil)), "hypershift-aws:capa.network.existing.vpcID is missing, and the default VPC of the region cannot be looked up")
	elsewhere := stackfile.SeededVPC(func(s *offline.Seed) {
		if s.Name == stackfile.OtherVPC {
			s.Kind = offline.SeedDefaultVPC
		}
	})
	require.ErrorContains(t, runCAPA(t, section, elsewhere), "use a security group in "+stackfile.OtherVPC)
}

func TestUnsuitableResourcesForCAPAAreRefusedWithTheirKey(t *testing.T) {
	t.Parallel()
	const groups, subnets = "hypershift-aws:capa.securityGroups.ids.", "hypershift-aws:capa.network.existing.subnets[0]."
	of := func(name string, change func(*offline.Seed)) []offline.Seed {
		return stackfile.SeededVPC(func(s *offline.Seed) {
			if s.Name == name {
				change(s)
			}
		})
	}
	tagged := func(name, key, value string) []offline.Seed {
		return of(name, func(s *offline.Seed) { s.Tags = map[string]string{key: value} })
	}
	for name, c := range map[string]struct {
		section map[string]any
		seeds   []offline.Seed
		want    string
	}{
		"a group of another VPC": {stackfile.InSeededVPC(true, nil),
			of("sg-0123456789abcdef3", func(s *offline.Seed) { s.VPC = stackfile.OtherVPC }),
			groups + `node: "sg-0123456789abcdef3" is in ` + stackfile.OtherVPC + "; use a security group in " + stackfile.CAPAVPC},
		"a group that CAPA would delete with the AWSCluster": {stackfile.InSeededVPC(true, nil),
			tagged("sg-0123456789abcdef2", "sigs.k8s.io/cluster-api-provider-aws/cluster/demo", "owned"),
			groups + `controlPlane: "sg-0123456789abcdef2" has the tag sigs.k8s.io/cluster-api-provider-aws/cluster/demo=owned, by which CAPA deletes the group ` +
				"with the cluster; remove the tag from it"},
		"a group that garbage collection would delete": {stackfile.InSeededVPC(true, nil),
			tagged("sg-0123456789abcdef1", "kubernetes.io/cluster/demo", "owned"),
			groups + `lb: "sg-0123456789abcdef1" has the tag kubernetes.io/cluster/demo=owned, by which CAPA deletes the group with the cluster; remove the tag`},
		"a second group with the cluster's tag": {stackfile.InSeededVPC(true, nil),
			tagged("sg-0123456789abcdef3", "kubernetes.io/cluster/demo", "shared"),
			groups + `node: "sg-0123456789abcdef3" has the tag kubernetes.io/cluster/demo, which only the group of role lb may have; remove the tag from it`},
		"no group with the cluster's tag": {stackfile.InSeededVPC(true, nil),
			of("sg-0123456789abcdef1", func(s *offline.Seed) { s.Tags = nil }),
			groups + `lb: "sg-0123456789abcdef1" lacks the tag kubernetes.io/cluster/demo, by which the cloud controller manager finds a machine's group; add the tag`},
		"no such group": {stackfile.InSeededVPC(true, nil),
			of("sg-0123456789abcdef0", func(s *offline.Seed) { s.Name = "sg-0eeeeeeeeeeeeeee0" }),
			groups + `apiServerLB: "sg-0123456789abcdef0" cannot be looked up: `},
		"a public subnet on the main route table alone": {stackfile.InSeededVPC(false, nil),
			of("subnet-0aaaaaaaaaaaaaaa1", func(s *offline.Seed) { s.Kind = offline.SeedMainTableSubnet }), subnets + `public: "subnet-0aaaaaaaaaaaaaaa1" `},
		"a public subnet without a way to the internet": {stackfile.InSeededVPC(false, nil),
			of("subnet-0aaaaaaaaaaaaaaa1", func(s *offline.Seed) { s.Kind = offline.SeedPrivateSubnet }), subnets + `public: "subnet-0aaaaaaaaaaaaaaa1" `},
		"an unknown key pair": {stackfile.CAPASection(map[string]any{"sshKeyName": "ops"}), nil,
			`hypershift-aws:capa.sshKeyName: "ops" cannot be looked up: reading EC2 Key Pair: InvalidKeyPair.NotFound: The key pair 'ops' does not exist; ` +
				"use a key pair of this account and region, or leave it out"},
		"an unknown image": {stackfile.CAPASection(map[string]any{"image": map[string]any{"id": "ami-0eeeeeeeeeeeeeee0"}}),
			nil,
			`hypershift-aws:capa.image.id: "ami-0eeeeeeeeeeeeeee0` + `" cannot be looked up: `},
		"an image of another architecture": {stackfile.CAPASection(nil),
			[]offline.Seed{{Kind: offline.SeedImage, Name: stackfile.OwnImage, InstanceType: "m6g.large"}},
			`hypershift-aws:capa.image.id: "` + stackfile.OwnImage + `" is for arm64, and t3.large is x86_64; use an image and instance types of the same architecture`},
		"an unknown instance type": {stackfile.CAPASection(map[string]any{
			"controlPlane": map[string]any{"instanceType": "m9.large"},
		}), nil,
			`hypershift-aws:capa.controlPlane.instanceType: "m9.large" cannot be looked up: reading EC2 Instance Type: InvalidInstanceType: ` +
				"The following supplied instance types do not exist: [m9.large]; use an instance type of the region"},
		"an instance type that the zone does not offer": {stackfile.CAPASection(map[string]any{"network": map[string]any{
			"zones": []string{"us-east-1a", "us-east-1b"},
		},
			"workers":      []map[string]any{{"name": "arm", "instanceType": "m6g.large"}},
			"controlPlane": map[string]any{"instanceType": "t3.large"}}), nil,
			`hypershift-aws:capa.workers[0].instanceType: "m6g.large" is not offered in us-east-1a; use a type that the zone offers, or other zones; ` +
				"these offer it: us-east-1b, us-east-1c"},
		"a worker zone without a subnet": {stackfile.CAPASection(map[string]any{
			"workers": []map[string]any{{"name": "md", "zones": []string{"us-east-1c"}}},
		}), nil,
			`hypershift-aws:capa.workers[0].zones[0]: "us-east-1c" has no subnet in the network; use one of us-east-1b, or add it to network.zones`},
		"a profile whose role may not be passed": {stackfile.CAPASection(map[string]any{"iam": map[string]any{"existing": map[string]any{
			"controlPlane": "masters", "nodes": "nodes.cluster-api-provider-aws.sigs.k8s.io"}}}),
			[]offline.Seed{{Kind: offline.SeedInstanceProfile, Name: "masters"},
				{Kind: offline.SeedInstanceProfile, Name: "nodes.cluster-api-provider-aws.sigs.k8s.io"}},
			`hypershift-aws:capa.iam.existing.controlPlane: "masters" has the role masters, which CAPA's controllers may not pass to a machine; ` +
				"use a role whose name ends in .cluster-api-provider-aws.sigs.k8s.io, or set iam.controllers"},
		"a boundary that is not there": {stackfile.CAPASection(map[string]any{
			"iam": map[string]any{"permissionsBoundary": stackfile.BoundaryARN},
		}), nil,
			`hypershift-aws:capa.iam.permissionsBoundary: "` + stackfile.BoundaryARN + `" cannot be looked up: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, runCAPA(t, c.section, c.seeds), c.want)
		})
	}
}

// ownImages returns images of the account's own: CAPA's names, in an account in which a test may add and delete them.
func ownImages(ids ...string) []offline.Seed {
	var seeds []offline.Seed
	for _, id := range ids {
		seeds = append(seeds, offline.Seed{
			Kind:         offline.SeedImage,
			Name:         id,
			ImageName:    "node-v1.33.4-" + id,
			InstanceType: "t3.large",
		})
	}
	return seeds
}

func TestAnImageIsKeptWhenANewerOneExistsAndWhenItIsDeleted(t *testing.T) {
	t.Parallel()
	const newer = "ami-0fedcba9876543210"
	configure := func(s *enginetest.Stack, version string) {
		s.Configure(`config:
  aws:region: us-east-1
  hypershift-aws:kind: capa
  hypershift-aws:capa: {name: demo, kubernetesVersion: ` + version + `, topology: Public, network: {zones: [us-east-1b]},
    image: {org: "123456789012", format: "node-v{{.K8sVersion}}-*"}, kubeconfig: {}, unprotected: true}
`)
	}
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: ownImages(stackfile.OwnImage)})
	configure(stack, "v1.33.4")
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]any{"t3.large": stackfile.OwnImage}, outputs["site"].Value.(map[string]any)["images"])

	// Another stack of the account finds the newer image, and this one stays with its own.
	beside := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: ownImages(newer), Beside: stack})
	beside.Configure(`config:
  aws:region: us-east-1
  hypershift-aws:kind: capa
  hypershift-aws:capa: {name: other, kubernetesVersion: v1.33.4, topology: Public, network: {zones: [us-east-1b]},
    image: {org: "123456789012", format: "node-v{{.K8sVersion}}-*"}}
`)
	beside.Up()
	outputs, err = beside.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]any{"t3.large": newer}, outputs["site"].Value.(map[string]any)["images"])
	require.Empty(t, stack.Preview())

	for _, id := range []string{stackfile.OwnImage, newer} {
		require.NoError(t, stack.Accounts()[0].Remove(id))
	}
	require.Empty(t, stack.Preview())

	// Another version needs another image, and a minor version cannot be skipped.
	configure(stack, "v1.34.0")
	_, err = stack.PreviewErr()
	require.ErrorContains(t, err, `hypershift-aws:capa.image: "node-v1.34.0-*" names no available image for x86_64 of account 123456789012 in us-east-1, `+
		"so there is none for Kubernetes v1.34.0; use another kubernetesVersion or baseOS, or build an image and set image.id")
}

func TestAChangeThatCAPANeverAcceptsIsRefusedInThePreview(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{})
	configure := func(keys string) {
		stack.Configure("config:\n  aws:region: us-east-1\n  hypershift-aws:kind: capa\n  hypershift-aws:capa: {name: demo, " + keys + ", kubeconfig: {}, unprotected: true}\n")
	}
	const zone = "network: {zones: [us-east-1b]}"
	configure("kubernetesVersion: v1.32.8, " + zone)
	stack.Up()
	for keys, want := range map[string]string{
		"kubernetesVersion: v1.32.8, apiAccess: {scheme: internal}, " + zone: `hypershift-aws:capa.apiAccess.scheme: "internal" changes ` +
			"spec.controlPlaneLoadBalancer.scheme of the AWSCluster demo, which Cluster API refuses: ",
		"kubernetesVersion: v1.34.0, " + zone:                                              "hypershift-aws:capa.kubernetesVersion: ",
		"kubernetesVersion: v1.32.8, network: {zones: [us-east-1b], vpcCIDR: 10.8.0.0/16}": "hypershift-aws:capa.network.vpcCIDR: ",
	} {
		configure(keys)
		_, err := stack.PreviewErr()
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "Cluster API refuses")
	}
	configure("kubernetesVersion: v1.33.4, " + zone)
	require.NotEmpty(t, stack.Preview().Replaced(), "templates with another image")
}

func TestDeletingTheClusterDeletesCAPAsResourcesAndNoneOfTheStack(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{})
	configure := func(keys string) {
		stack.Configure("config:\n  aws:region: us-east-1\n  hypershift-aws:kind: capa\n" +
			"  hypershift-aws:capa: {name: demo, kubernetesVersion: v1.33.4, network: {zones: [us-east-1b, us-east-1c]}" + keys + "}\n")
	}
	resources := func() (ours, others []string) {
		for _, r := range stack.Resources() {
			if r.Operator {
				others = append(others, r.ID)
			} else {
				ours = append(ours, r.ID)
			}
		}
		return ours, others
	}
	configure(", kubeconfig: {}, unprotected: true")
	stack.Up()
	require.Empty(t, stack.Preview(), "resources that CAPA has tagged are as the stack requires")
	before, made := resources()
	require.NotEmpty(t, made)

	configure("")
	stack.Up()
	after, left := resources()
	require.Equal(t, before, after)
	require.Empty(t, left)
	require.Empty(t, stack.Refresh().Of(apitype.OpUpdate, apitype.OpDelete))
}
