package capa_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// site returns a site with plausible IDs for args.
func site(args *capa.Args) *capa.Site {
	s := &capa.Site{
		Region: "us-east-1", VPCID: "vpc-0123456789abcdef0", Images: map[string]string{"t3.large": "ami-0123456789abcdef0"},
		ControlPlaneProfile: "demo-control-plane.cluster-api-provider-aws.sigs.k8s.io",
		NodesProfile:        "demo-nodes.cluster-api-provider-aws.sigs.k8s.io",
		SecurityGroups: map[capa.Role]string{
			capa.APIServerLB: "sg-0123456789abcdef0", capa.LB: "sg-0123456789abcdef1", capa.ControlPlane: "sg-0123456789abcdef2",
			capa.Node: "sg-0123456789abcdef3",
		},
	}
	for i, zone := range args.Network.Zones {
		z := capa.SiteZone{Name: zone.Name, PublicSubnetID: fmt.Sprintf("subnet-%017x", i)}
		if args.Topology != capa.Public || len(args.Network.Zones) > 1 {
			z.PrivateSubnetID = fmt.Sprintf("subnet-%017x", 100+i)
		}
		s.Zones = append(s.Zones, z)
	}
	return s
}

// cases returns clusters of both architectures.
func cases() map[string]*capa.Args {
	zones := []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}, {Name: "us-east-1c"}}
	three, two := private(), 2
	three.Network.Zones, three.Namespace, three.Tags = zones, "clusters", map[string]string{"team": "a"}
	three.Workers = []capa.WorkersArgs{
		{Name: "small", Replicas: &two}, {
			Name:       "big",
			Zones:      []string{"us-east-1b"},
			RootVolume: &capa.RootVolume{Size: 200, Type: "gp3", Throughput: 250},
		},
	}
	three.SSHKeyName, three.CertSANs = pulumi.String("ops"), input.Strings("api.example.com")
	three.Identity = capa.Identity{
		Kind:    capa.RoleIdentity,
		Name:    "prod",
		RoleARN: pulumi.String("arn:aws:iam::123456789012:role/capa"),
	}
	many := public()
	many.Network.Zones = zones[:2]
	return map[string]*capa.Args{
		"private":       private(),
		"public":        public(),
		"private-zones": three,
		"public-zones":  many,
		"customized":    customized(),
	}
}

func TestTheObjectsMatchTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, args := range cases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifests, err := args.Manifests(site(args))
			require.NoError(t, err)
			var out bytes.Buffer
			for _, m := range manifests {
				fmt.Fprintf(&out, "---\n# %s\n", m.File)
				encoder := yaml.NewEncoder(&out)
				encoder.SetIndent(2)
				require.NoError(t, encoder.Encode(m.Object))
			}
			golden.Require(t, filepath.Join("testdata", "objects", name+".yaml"), out.String())
		})
	}
}

func object(t *testing.T, args *capa.Args, part string) capa.Object {
	t.Helper()
	objects, err := args.Objects(site(args))
	require.NoError(t, err)
	for _, o := range objects {
		if o.Part == part {
			return o
		}
	}
	require.Fail(t, "no object", part)
	return capa.Object{}
}

func name(o capa.Object) any { return o.Object["metadata"].(map[string]any)["name"] }

func TestATemplatesNameChangesOnlyWithItsContent(t *testing.T) {
	t.Parallel()
	const part = capa.PartControlPlaneTemplate
	before := name(object(t, private(), part))
	for what, c := range map[string]struct {
		change func(*capa.Args)
		same   bool
	}{
		"a root volume": {func(a *capa.Args) { a.ControlPlane.RootVolume = &capa.RootVolume{Size: 80} }, false},
		"a key pair":    {func(a *capa.Args) { a.SSHKeyName = pulumi.String("ops") }, false},
		"the topology":  {func(a *capa.Args) { a.Topology = capa.Public }, false},
		"replicas":      {func(a *capa.Args) { a.ControlPlane.Replicas = 5 }, true},
		"tags":          {func(a *capa.Args) { a.Tags = map[string]string{"a": "b"} }, true},
		"workers":       {func(a *capa.Args) { a.Workers = []capa.WorkersArgs{{Name: "other"}} }, true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			args := private()
			c.change(args)
			assert.Equal(t, c.same, before == name(object(t, args, part)))
		})
	}
}

func TestNoFieldIsRenderedThatCAPASetsItself(t *testing.T) {
	t.Parallel()
	for name, args := range cases() {
		aws := object(t, args, capa.PartAWSCluster).Object["spec"].(map[string]any)
		assert.NotContains(t, aws, "controlPlaneEndpoint", name)
		assert.NotContains(t, aws, "bastion", name)
		assert.NotContains(t, aws["network"].(map[string]any)["vpc"], "secondaryCidrBlocks", name)
		assert.Contains(t, aws, "sshKeyName", name)
		assert.Equal(t, "nlb", aws["controlPlaneLoadBalancer"].(map[string]any)["loadBalancerType"], name)
		objects, err := args.Objects(site(args))
		require.NoError(t, err)
		for _, o := range objects {
			if o.Object["kind"] != "AWSMachineTemplate" {
				continue
			}
			machine := o.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"]
			assert.Contains(t, machine, "sshKeyName", name)
			assert.Contains(t, machine, "publicIP", name)
		}
	}
}

func TestEveryObjectIsAcceptedByItsSchemaAndItsWebhook(t *testing.T) {
	t.Parallel()
	for name, args := range cases() {
		objects, err := args.Objects(site(args))
		require.NoError(t, err)
		for _, o := range objects {
			assert.NoError(t, crd.Set.Validate(o.Object), "%s of %s", o.Part, name)
			assert.Empty(t, crd.RefusedByWebhooks(o.Object, nil), "%s of %s", o.Part, name)
			assert.Empty(t, crd.RefusedByWebhooks(o.Object, o.Object), "%s of %s, again", o.Part, name)
		}
	}
}

func TestGroupsCreatedByCAPAAllowTheSameSources(t *testing.T) {
	t.Parallel()
	args, no := private(), false
	args.SecurityGroups.Create = &no
	args.APIAccess = capa.APIAccess{CIDRs: []string{"203.0.113.0/24"}, ManagementCIDRs: []string{"198.51.100.7/32"}}
	s := site(args)
	s.SecurityGroups = nil
	objects, err := args.Objects(s)
	require.NoError(t, err)
	spec := objects[0].Object["spec"].(map[string]any)
	rules := spec["controlPlaneLoadBalancer"].(map[string]any)["ingressRules"].([]any)
	assert.Equal(t, []any{"203.0.113.0/24", "198.51.100.7/32"}, rules[0].(map[string]any)["cidrBlocks"])
	assert.NotContains(t, spec["network"], "securityGroupOverrides")
	assert.Len(t, spec["network"].(map[string]any)["cni"].(map[string]any)["cniIngressRules"], 2)
}

func TestAnObjectThatTheSchemasRefuseIsNotRendered(t *testing.T) {
	t.Parallel()
	args := private()
	s := site(args)
	s.Images = nil
	_, err := args.Objects(s)
	require.ErrorContains(t, err, "controlPlane.instanceType")
	o := object(t, args, capa.PartCluster).Object
	o["spec"].(map[string]any)["topologie"] = map[string]any{}
	assert.ErrorContains(t, crd.Set.Validate(o), "field not declared in schema")
}
