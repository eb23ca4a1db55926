package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// CAPA is hypershift-aws:capa: the AWS resources and the objects of one self-managed cluster of Cluster API Provider
// AWS.
type CAPA struct {
	capa.Args `yaml:",inline"`
	// Kubeconfig is the kubeconfig of the management cluster; {} is the current context. Default none: the objects are
	// only rendered.
	Kubeconfig *Kubeconfig `yaml:"kubeconfig" pulumi:"kubeconfig,optional"`
	// Unprotected turns off every protection in the stack's state, so that `pulumi destroy` deletes everything: the
	// Cluster, and what a running cluster depends on. Default false.
	Unprotected bool `yaml:"unprotected" pulumi:"unprotected,optional"`
}

var _ Section = (*CAPA)(nil)

// Resolve implements Section. The component has the defaults.
func (*CAPA) Resolve(Source) {}

// ManagementCluster implements Section.
func (c *CAPA) ManagementCluster() *Kubeconfig { return c.Kubeconfig }

// Validate implements Section. Zones are checked against the region where that is known.
func (c *CAPA) Validate(region string) error {
	var faults fault.Faults
	faults.Join("", c.Args.Validate())
	if region != "" {
		key, zones := "network.zones", c.Network.Zones
		if c.Network.Existing != nil {
			key, zones = "network.existing.subnets", (&network.ExistingVPC{Subnets: c.Network.Existing.Subnets}).Zones()
		}
		faults.Join(key, network.ValidateZonesIn(region, zones))
	}
	faults.Join("kubeconfig", c.Kubeconfig.validate())
	return faults.Err()
}

// offlineDefaultVPC is the ID of the default VPC in an offline account.
const offlineDefaultVPC = "vpc-0defa017000000000"

// Existing implements Section.
func (c *CAPA) Existing(*ManagementOutputs) []Existing {
	vpc := ""
	cluster := Cluster{Network: network.GuestNetworkArgs{Options: c.Network.Options}}
	if e := c.Network.Existing; e != nil {
		vpc = cmp.Or(e.VPCID, offlineDefaultVPC)
		cluster.Network.Existing = &network.ExistingVPC{VPCID: pulumi.String(vpc), Subnets: e.Subnets}
	}
	existing := cluster.existingNetwork()
	if c.Network.Existing != nil {
		base := c.BaseNetwork("")
		existing[0].CIDR, existing[0].Services = layout.Free(base.Reserved), base.ServicesOfVPC()
	}
	if vpc == offlineDefaultVPC {
		existing[0].Kind = ExistingDefaultVPC
	}
	if ids := c.SecurityGroups.IDs; ids != nil && c.Network.Existing != nil {
		tagging := capa.Tagging{Cluster: c.Name}
		for _, role := range capa.Roles() {
			existing = append(existing, Existing{
				Kind: ExistingSecurityGroup, Name: input.Text(ids.ID(role)), VPC: vpc, Tags: tagging.SecurityGroup(role),
				Rules: c.groupRules(role),
			})
		}
	}
	if name := input.Text(c.SSHKeyName); name != "" {
		existing = append(existing, Existing{Kind: ExistingKeyPair, Name: name})
	}
	if id := input.Text(c.Image.ID); id != "" {
		existing = append(existing, Existing{Kind: ExistingImage, Name: id, InstanceType: c.Machines()[0].InstanceType})
	}
	if given := c.IAM.Existing; given != nil {
		controlPlane, nodes := input.Text(given.ControlPlane), input.Text(given.Nodes)
		existing = append(existing, Existing{Kind: ExistingInstanceProfile, Name: controlPlane})
		if nodes != controlPlane {
			existing = append(existing, Existing{Kind: ExistingInstanceProfile, Name: nodes})
		}
	}
	if arn := input.Text(c.IAM.PermissionsBoundary); arn != "" && !strings.Contains(arn, ":iam::aws:") {
		existing = append(existing, Existing{Kind: ExistingPolicy, Name: arn})
	}
	return existing
}

// groupRules returns the rules that the given group of a role needs.
func (c *CAPA) groupRules(role capa.Role) []GroupRule {
	var rules []GroupRule
	for _, rule := range capa.GroupRules(c.WithDefaults().CNI.Rules) {
		if rule.Role == role {
			rules = append(rules, GroupRule{GroupRule: rule, Groups: c.groupsOf(rule.Role), Sources: c.groupsOf(rule.Source)})
		}
	}
	return rules
}

// groupsOf returns the given security groups for a role. Machines are also in the group of role lb.
func (c *CAPA) groupsOf(role capa.Role) []string {
	groups := []string{input.Text(c.SecurityGroups.IDs.ID(role))}
	if role == capa.ControlPlane || role == capa.Node {
		groups = append(groups, input.Text(c.SecurityGroups.IDs.ID(capa.LB)))
	}
	return groups
}

var (
	_ ClusterMember    = (*CAPA)(nil)
	_ TaggedSection    = (*CAPA)(nil)
	_ VPCSection       = (*CAPA)(nil)
	_ NodesSection     = (*CAPA)(nil)
	_ ResolverSection  = (*CAPA)(nil)
	_ ExistingSection  = (*CAPA)(nil)
	_ ManifestSection  = (*CAPA)(nil)
	_ ProtectedSection = (*CAPA)(nil)
	_ MachineNetwork   = (*CAPA)(nil)
)

// ClusterIdentity implements ClusterMember.
func (c *CAPA) ClusterIdentity() ClusterIdentity {
	return ClusterIdentity{
		Object: "Cluster", Relation: OwnsCluster, Name: c.Name, Namespace: cmp.Or(c.Namespace, capa.DefaultNamespace),
	}
}

// ResourceTags implements TaggedSection.
func (c *CAPA) ResourceTags() map[string]string { return c.Tags }

// VPCCIDRs implements VPCSection.
func (c *CAPA) VPCCIDRs() []string {
	if c.Network.Existing != nil {
		return nil
	}
	return vpcCIDRs(c.Network.Options)
}

// Nodes implements NodesSection.
func (c *CAPA) Nodes(string, []string) []Nodes {
	var list []Nodes
	for _, m := range c.Machines() {
		list = append(list, Nodes{Name: m.Name, InstanceType: m.InstanceType, Zones: m.Zones, Count: m.Count})
	}
	return list
}

// ExistingDNS implements ResolverSection.
func (c *CAPA) ExistingDNS() (servers, services []string) {
	if c.Network.Existing == nil {
		return nil, nil
	}
	return c.Network.Existing.DNSServers, capa.NodeServices()
}

// ExistingNeeds implements ExistingSection.
func (c *CAPA) ExistingNeeds() (ExistingNeeds, error) {
	return ExistingNeeds{Network: c.WithDefaults().BaseNetwork("")}, nil
}

// RenderManifests implements ManifestSection.
func (c *CAPA) RenderManifests(file *File, outputs map[string]any) ([]hostedcluster.Manifest, error) {
	read, err := capa.ReadSite(outputs["site"])
	if err != nil {
		return nil, err
	}
	objects, err := c.Manifests(read)
	if fault.In(err) != nil {
		var faults fault.Faults
		faults.Join(CAPAKey, err)
		return nil, file.Placed(faults.Err())
	}
	var manifests []hostedcluster.Manifest
	for _, m := range objects {
		manifests = append(manifests, hostedcluster.Manifest(m))
	}
	return manifests, err
}

// DeletionAllowed implements ProtectedSection.
func (c *CAPA) DeletionAllowed() bool { return c.Unprotected }

// MachinePaths implements MachineNetwork.
func (c *CAPA) MachinePaths(outputs map[string]any) (MachinePaths, error) {
	m := c.pathsInFile()
	if outputs == nil {
		return m, nil
	}
	site, err := capa.ReadSite(outputs["site"])
	if err != nil {
		return m, fmt.Errorf("reading the stack's outputs: %w", err)
	}
	m.VPCID, m.NodeSubnets, m.BalancerSubnets = site.VPCID, map[string]string{}, map[string]string{}
	m.Groups = map[string]string{}
	for _, zone := range site.Zones {
		m.Place(zone.Name, zone.PrivateSubnetID, zone.PublicSubnetID)
	}
	for role, id := range site.SecurityGroups {
		m.Groups[string(role)] = id
	}
	m.BastionID, _ = outputs["bastionInstanceID"].(string)
	return m, nil
}

// pathsInFile returns the expected paths as far as the section alone describes them.
func (c *CAPA) pathsInFile() MachinePaths {
	a := c.WithDefaults()
	m := MachinePaths{
		Name: c.Name, Public: a.Topology == capa.Public, Internal: a.APIAccess.Scheme == capa.Internal,
		LoadBalancer: a.LoadBalancerName(), Port: capa.APIPort,
		Clients: slices.Concat(a.APIAccess.CIDRs, a.APIAccess.ManagementCIDRs),
	}
	switch a.SecurityGroups.Source() {
	case capa.GroupsExisting:
		m.GroupsOf = "is an existing group, with its own rules"
	case capa.GroupsCreatedByCAPA:
		m.GroupsOf = "CAPA creates it, with its own rules"
	case capa.GroupsCreated:
	}
	switch {
	case m.Public:
		m.NoBastion = "topology Public: machines have public addresses"
	case a.Network.Bastion == nil:
		m.NoBastion = "network.bastion is not set"
	}
	if e := a.Network.Existing; e != nil {
		m.ExistingVPC, m.VPCID, m.NodeSubnets, m.BalancerSubnets = true, e.VPCID, map[string]string{}, map[string]string{}
		for _, subnets := range e.Subnets {
			m.Place(subnets.Zone, input.Text(subnets.Private), input.Text(subnets.Public))
		}
	} else if !m.Public && a.NATOrDefault() == network.None && !a.Network.RoutesInternet() {
		m.NoInternet = "nat None: machines reach AWS through endpoints in the VPC"
	}
	return m
}
