package capa_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// feature is one of the numbered features of CAPA's MVP proposal, and how this project implements it.
type feature struct {
	number int
	text   string
	// in lists the architectures that have it.
	in []capa.Topology
	// by is the config key or object that implements it.
	by string
	// part and path identify the field of an object that shows it, "" if there is none; want is its value in each
	// architecture that has the feature.
	part, path string
	want       any
}

func features() []feature {
	both := []capa.Topology{capa.Private, capa.Public}
	onlyPrivate, onlyPublic := []capa.Topology{capa.Private}, []capa.Topology{capa.Public}
	return []feature{
		{2, "a VPC is created", both, "`network`, without `network.existing`", capa.PartAWSCluster, "spec.network.vpc.id", "vpc-0123456789abcdef0"},
		{3, "an existing VPC is used, the default VPC if none is specified", both, "`network.existing`, without `vpcID` the default VPC", capa.PartAWSCluster, "spec.network.vpc.id", "vpc-0123456789abcdef0"},
		{6, "the control plane is in public subnets", onlyPublic, "`topology: Public`", capa.PartControlPlaneTemplate, "spec.template.spec.publicIP", true},
		{7, "the control plane is in private subnets", onlyPrivate, "`topology: Private`", capa.PartControlPlaneTemplate, "spec.template.spec.publicIP", false},
		{8, "the control plane is in a single zone", both, "one zone in `network.zones`", "", "", nil},
		{11, "nodes are in public subnets", onlyPublic, "`topology: Public`", "md-template", "spec.template.spec.publicIP",
			true},
		{12, "nodes are in private subnets", onlyPrivate, "`topology: Private`", "md-template", "spec.template.spec.publicIP",
			false},
		{13, "nodes are in a single zone", both, "one zone in `network.zones`", "md-us-east-1a", "spec.template.spec.failureDomain", "us-east-1a"},
		{16, "nodes are on shared instances", both, "no tenancy in the template", "md-template", "spec.template.spec.tenancy",
			nil},
		{19, "nodes are scaled without auto-scaling groups", both, "a MachineDeployment per pool and zone", "md-us-east-1a",
			"kind", "MachineDeployment"},
		{22, "the API server is publicly accessible", both, "`apiAccess.scheme: internet-facing`", capa.PartAWSCluster, "spec.controlPlaneLoadBalancer.scheme", "internet-facing"},
		{43, "the API server is accessible through a load balancer", both, "a network load balancer, created by CAPA",
			capa.PartAWSCluster,
			"spec.controlPlaneLoadBalancer.loadBalancerType", "nlb"},
		{26, "the control plane is managed within the provider", both, "a KubeadmControlPlane", capa.PartControlPlane, "kind",
			"KubeadmControlPlane"},
		{36, "machines run Amazon Linux", both, "`image.id`", capa.PartControlPlaneTemplate, "spec.template.spec.ami.id", "ami-0123456789abcdef0"},
		{37, "machines run Ubuntu", both, "`image.baseOS`", capa.PartControlPlaneTemplate, "spec.template.spec.ami.id", "ami-0123456789abcdef0"},
		{38, "machines run any image", both, "`image.id`", capa.PartControlPlaneTemplate, "spec.template.spec.ami.id", "ami-0123456789abcdef0"},
		{46, "etcd is part of the control plane", both, "no external etcd in the KubeadmControlPlane", capa.PartControlPlane,
			"spec.kubeadmConfigSpec.clusterConfiguration.etcd", nil},
	}
}

// at returns the value at a dotted path, or nil where there is none.
func at(o any, path string) any {
	for _, key := range strings.Split(path, ".") {
		m, _ := o.(map[string]any)
		o = m[key]
	}
	return o
}

func TestEveryFeatureOfTheProposalIsImplemented(t *testing.T) {
	t.Parallel()
	args := map[capa.Topology]*capa.Args{capa.Private: private(), capa.Public: public()}
	for _, f := range features() {
		for _, topology := range f.in {
			if f.part != "" {
				assert.Equal(t, f.want, at(object(t, args[topology], f.part).Object, f.path), "%d in %s", f.number, topology)
			}
		}
	}
}

// This test compares the table of docs/appendix/cluster-api.md with features; -update writes it.
func TestTheDocsListTheFeatures(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- features: written by the tests of components/capa -->\n", "<!-- end of features -->\n"
	var table strings.Builder
	table.WriteString("| no. | feature | Private | Public | implemented by | field |\n|---|---|---|---|---|---|\n")
	for _, f := range features() {
		has := map[capa.Topology]string{}
		for _, topology := range f.in {
			has[topology] = "yes"
		}
		field := ""
		if f.part != "" {
			kind := at(object(t, args(f.in[0]), f.part).Object, "kind")
			field = fmt.Sprintf("%s `%s`", kind, f.path)
		}
		fmt.Fprintf(&table, "| %d | %s | %s | %s | %s | %s |\n", f.number, f.text, has[capa.Private], has[capa.Public], f.by,
			field)
	}
	golden.RequireSection(t, "../../docs/appendix/cluster-api.md", begin, end, table.String())
}

func args(topology capa.Topology) *capa.Args {
	if topology == capa.Public {
		return public()
	}
	return private()
}
