package capa_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// private returns the minimal args of the private architecture.
func private() *capa.Args {
	return &capa.Args{
		Name: "demo", KubernetesVersion: "v1.33.4",
		Network: capa.NetworkArgs{Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}}},
	}
}

// public returns the minimal args of the public architecture.
func public() *capa.Args {
	args := private()
	args.Topology = capa.Public
	return args
}

func existing(args *capa.Args) {
	args.Network.Zones = nil
	args.Network.Existing = &capa.ExistingVPC{
		VPCID: "vpc-0123456789abcdef0",
		Subnets: []network.ExistingSubnets{{
			Zone:    "us-east-1a",
			Public:  pulumi.String("subnet-0123456789abcdef0"),
			Private: pulumi.String("subnet-0123456789abcdef1"),
		}},
	}
}

func groups() *capa.SecurityGroupIDs {
	return &capa.SecurityGroupIDs{
		APIServerLB: pulumi.String("sg-0123456789abcdef0"), LB: pulumi.String("sg-0123456789abcdef1"),
		ControlPlane: pulumi.String("sg-0123456789abcdef2"), Node: pulumi.String("sg-0123456789abcdef3"),
	}
}

func TestTheMinimalArgsOfBothArchitecturesAreValid(t *testing.T) {
	t.Parallel()
	assert.NoError(t, private().Validate())
	assert.NoError(t, public().Validate())
}

func TestValidOptions(t *testing.T) {
	t.Parallel()
	no := false
	for name, change := range map[string]func(*capa.Args){
		"restricted access": func(a *capa.Args) {
			a.APIAccess.CIDRs, a.APIAccess.ManagementCIDRs = []string{"203.0.113.0/24"}, []string{"198.51.100.7/32"}
		},
		"no NAT, an internal balancer": func(a *capa.Args) {
			a.Network.NAT, a.APIAccess.Scheme, a.Network.InterfaceEndpoints = network.None, capa.Internal, []string{"nodes"}
		},
		"an existing VPC":                existing,
		"an existing VPC and its groups": func(a *capa.Args) { existing(a); a.SecurityGroups.IDs = groups() },
		"groups of CAPA's own":           func(a *capa.Args) { a.SecurityGroups.Create = &no },
		"one control-plane machine":      func(a *capa.Args) { a.ControlPlane.Replicas = 1 },
		"no nodes":                       func(a *capa.Args) { a.Workers = []capa.WorkersArgs{} },
		"a role of another account": func(a *capa.Args) {
			a.Identity = capa.Identity{
				Kind:    capa.RoleIdentity,
				Name:    "prod",
				RoleARN: pulumi.String("arn:aws:iam::123456789012:role/capa"),
			}
		},
		"a pre-release":            func(a *capa.Args) { a.KubernetesVersion = "v1.34.0-rc.1" },
		"names in the certificate": func(a *capa.Args) { a.CertSANs = input.Strings("api.example.com", "192.0.2.1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := private()
			change(args)
			assert.NoError(t, args.Validate())
		})
	}
}

func TestBadInputIsRefusedByFieldWithARemedy(t *testing.T) {
	t.Parallel()
	yes, minus := true, -1
	for name, c := range map[string]struct {
		change     func(*capa.Args)
		path, want string
	}{
		"no name":            {func(a *capa.Args) { a.Name = "" }, "name", "is missing"},
		"a name in capitals": {func(a *capa.Args) { a.Name = "Demo" }, "name", "is not a DNS label"},
		"a load balancer's name over 32": {func(a *capa.Args) {
			a.Name = "a-name-of-23-characters"
		}, "name", "with 33 characters"},
		"a name for groups": {func(a *capa.Args) { a.Name = "sg-demo" }, "name", "security groups"},
		"a namespace": {func(a *capa.Args) {
			a.Namespace = "-x"
		}, "namespace", "is not the name of a namespace"},
		"a tag of CAPA's": {func(a *capa.Args) {
			a.Tags = map[string]string{"sigs.k8s.io/cluster-api-provider-aws/cluster/demo": "owned"}
		}, "tags[sigs.k8s.io/cluster-api-provider-aws/cluster/demo]", "find resources"},
		"a cluster tag": {func(a *capa.Args) {
			a.Tags = map[string]string{"kubernetes.io/cluster/demo": "owned"}
		}, "tags[kubernetes.io/cluster/demo]", "find resources"},
		"a tag with odd characters": {func(a *capa.Args) {
			a.Tags = map[string]string{"team": "a&b"}
		}, "tags[team]", "CAPA refuses"},
		"no version": {func(a *capa.Args) { a.KubernetesVersion = "" }, "kubernetesVersion", "is missing"},
		"a version without v": {func(a *capa.Args) {
			a.KubernetesVersion = "1.33.4"
		}, "kubernetesVersion", "use v1.33.4"},
		"half a version": {func(a *capa.Args) {
			a.KubernetesVersion = "v1.33"
		}, "kubernetesVersion", "three numbers"},
		"a topology": {func(a *capa.Args) { a.Topology = "Hybrid" }, "topology", "is not a topology"},
		"pods in the VPC": {func(a *capa.Args) {
			a.Pods = "10.0.128.0/17"
		}, "network.vpcCIDR", "overlaps 10.0.128.0/17, the pods' network"},
		"Services in the VPC": {func(a *capa.Args) {
			a.Services = "10.0.0.0/20"
		}, "network.vpcCIDR", "overlaps 10.0.0.0/20, the Services' network"},
		"Services among pods":         {func(a *capa.Args) { a.Services = "192.168.1.0/24" }, "services", "overlaps pods"},
		"an IPv6 network":             {func(a *capa.Args) { a.Pods = "fd00::/48" }, "pods", "is not an IPv4 CIDR"},
		"no network address":          {func(a *capa.Args) { a.Pods = "192.168.1.0/16" }, "pods", "use 192.168.0.0/16"},
		"NAT None, a public balancer": {func(a *capa.Args) { a.Network.NAT, a.Network.InterfaceEndpoints = network.None, []string{"nodes"} }, "network.nat", "internet-facing"},
		"NAT None, no endpoints":      {func(a *capa.Args) { a.Network.NAT, a.APIAccess.Scheme = network.None, capa.Internal }, "network.interfaceEndpoints", "lacks ec2"},
		"NAT None, no secrets": {func(a *capa.Args) {
			a.Network.NAT, a.APIAccess.Scheme, a.Network.InterfaceEndpoints = network.None, capa.Internal, []string{"ec2"}
		}, "network.interfaceEndpoints", "lacks secretsmanager"},
		"NAT with Public":       {func(a *capa.Args) { a.Topology, a.Network.NAT = capa.Public, network.Single }, "network.nat", "topology Public"},
		"a bastion with Public": {func(a *capa.Args) { a.Topology, a.Network.Bastion = capa.Public, &network.Bastion{} }, "network.bastion", "topology Public"},
		"restricted with Public": {func(a *capa.Args) {
			a.Topology, a.APIAccess.CIDRs = capa.Public, []string{"203.0.113.0/24"}
		}, "apiAccess.cidrs", "blocks the nodes"},
		"without the management cluster": {func(a *capa.Args) {
			a.APIAccess.CIDRs = []string{"203.0.113.0/24"}
		}, "apiAccess.managementCIDRs", "is missing"},
		"a management cluster for all": {func(a *capa.Args) {
			a.APIAccess.ManagementCIDRs = []string{"203.0.113.0/24"}
		}, "apiAccess.managementCIDRs", "has no effect"},
		"a network twice": {func(a *capa.Args) {
			a.APIAccess.CIDRs = []string{"0.0.0.0/0", "0.0.0.0/0"}
		}, "apiAccess.cidrs[1]", "duplicates [0]"},
		"a scheme": {func(a *capa.Args) {
			a.APIAccess.Scheme = "public"
		}, "apiAccess.scheme", "is not a scheme"},
		"three groups": {func(a *capa.Args) {
			existing(a)
			a.SecurityGroups.IDs = groups()
			a.SecurityGroups.IDs.Node = pulumi.String("")
		}, "securityGroups.ids.node", "set all four"},
		"a group twice": {func(a *capa.Args) {
			existing(a)
			a.SecurityGroups.IDs = groups()
			a.SecurityGroups.IDs.Node = a.SecurityGroups.IDs.LB
		}, "securityGroups.ids.node", "already ids.lb"},
		"groups without an existing VPC": {func(a *capa.Args) {
			a.SecurityGroups.IDs = groups()
		}, "securityGroups.ids", "does not exist yet"},
		"groups created and given": {func(a *capa.Args) {
			existing(a)
			a.SecurityGroups = capa.SecurityGroupsChoice{Create: &yes, IDs: groups()}
		}, "securityGroups.create", "conflicts with ids"},
		"one instance profile": {func(a *capa.Args) {
			a.IAM.Existing = &capa.ExistingProfiles{Nodes: pulumi.String("nodes.cluster-api-provider-aws.sigs.k8s.io")}
		}, "iam.existing.controlPlane", "is missing"},
		"an instance profile's ARN": {func(a *capa.Args) {
			a.IAM.Existing = &capa.ExistingProfiles{
				Nodes:        pulumi.String("arn:aws:iam::123456789012:instance-profile/x"),
				ControlPlane: pulumi.String("x"),
			}
		}, "iam.existing.nodes", "not its ARN"},
		"an IAM path": {func(a *capa.Args) { a.IAM.Path = "capa" }, "iam.path", "is not an IAM path"},
		"a boundary": {func(a *capa.Args) {
			a.IAM.PermissionsBoundary = pulumi.String("boundary")
		}, "iam.permissionsBoundary", "policy"},
		"a kind of identity": {func(a *capa.Args) { a.Identity.Kind = "Role" }, "identity.kind", "is not a kind"},
		"an identity without a name": {func(a *capa.Args) {
			a.Identity.Kind = capa.StaticIdentity
		}, "identity.name", "is missing"},
		"a second controller identity": {func(a *capa.Args) {
			a.Identity.Name = "other"
		}, "identity.name", "one per management cluster"},
		"an image": {func(a *capa.Args) {
			a.Image.ID = pulumi.String("ubuntu")
		}, "image.id", "is not the ID"},
		"an image and its system": {func(a *capa.Args) {
			a.Image = capa.Image{ID: pulumi.String("ami-0123456789abcdef0"), BaseOS: "ubuntu-22.04"}
		}, "image.baseOS", "conflicts with id"},
		"an image's format": {func(a *capa.Args) { a.Image.Format = "{{.OS}}" }, "image.format", "is not a template"},
		"even replicas":     {func(a *capa.Args) { a.ControlPlane.Replicas = 2 }, "controlPlane.replicas", "use 1 or 3"},
		"negative replicas": {func(a *capa.Args) {
			a.ControlPlane.Replicas = -1
		}, "controlPlane.replicas", "is not a number"},
		"an instance type": {func(a *capa.Args) {
			a.ControlPlane.InstanceType = "large"
		}, "controlPlane.instanceType", "is not an instance type"},
		"a small root volume": {func(a *capa.Args) { a.ControlPlane.RootVolume = &capa.RootVolume{Size: 4} }, "controlPlane.rootVolume.size", "use 8"},
		"io2 without IOPS":    {func(a *capa.Args) { a.ControlPlane.RootVolume = &capa.RootVolume{Size: 80, Type: "io2"} }, "controlPlane.rootVolume.iops", "requires it"},
		"throughput of gp2": {func(a *capa.Args) {
			a.ControlPlane.RootVolume = &capa.RootVolume{Size: 80, Type: "gp2", Throughput: 200}
		}, "controlPlane.rootVolume.throughput", "gp3"},
		"a pool's name twice": {func(a *capa.Args) {
			a.Workers = []capa.WorkersArgs{{Name: "a"}, {Name: "a"}}
		}, "workers[1].name", "workers[0]"},
		"a pool without a name": {func(a *capa.Args) {
			a.Workers = []capa.WorkersArgs{{}}
		}, "workers[0].name", "is missing"},
		"a pool called control-plane": {func(a *capa.Args) {
			a.Workers = []capa.WorkersArgs{{Name: "control-plane"}}
		}, "workers[0].name", "control plane"},
		"a zone without subnet": {func(a *capa.Args) {
			a.Workers = []capa.WorkersArgs{{Name: "a", Zones: []string{"us-east-1b"}}}
		}, "workers[0].zones[0]", "has no subnet"},
		"negative nodes": {func(a *capa.Args) {
			a.Workers = []capa.WorkersArgs{{Name: "a", Replicas: &minus}}
		}, "workers[0].replicas", "is negative"},
		"a name in the certificate": {func(a *capa.Args) {
			a.CertSANs = input.Strings("https://api")
		}, "certSANs[0]", "neither a host name"},
		"a rule's protocol": {func(a *capa.Args) {
			a.CNI.Rules = []capa.CNIRule{{Description: "x", Protocol: "vxlan"}}
		}, "cni.rules[0].protocol", "is not a protocol"},
		"a rule without ports": {func(a *capa.Args) {
			a.CNI.Rules = []capa.CNIRule{{Description: "x", Protocol: "udp"}}
		}, "cni.rules[0].fromPort", "range of ports"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := private()
			c.change(args)
			faults := fault.In(args.Validate())
			require.NotEmpty(t, faults)
			assert.Equal(t, c.path, faults[0].Path)
			assert.Contains(t, faults.Error(), c.want)
			for _, f := range faults {
				assert.NotEmpty(t, f.Remedy)
			}
		})
	}
}
