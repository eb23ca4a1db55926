package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// ExistingKind is a kind of thing that a config can refer to without making it.
type ExistingKind string

// The kinds of things that a config can refer to.
const (
	ExistingPublicZone      ExistingKind = "public zone"
	ExistingKMSKey          ExistingKind = "KMS key"
	ExistingOIDCProvider    ExistingKind = "OIDC provider"
	ExistingRole            ExistingKind = "role"
	ExistingInstanceProfile ExistingKind = "instance profile"
	ExistingPolicy          ExistingKind = "policy"
	ExistingLoadBalancer    ExistingKind = "load balancer"
	ExistingVPC             ExistingKind = "VPC"
	ExistingPrivateSubnet   ExistingKind = "private subnet"
	ExistingPublicSubnet    ExistingKind = "public subnet"
	ExistingSecurityGroup   ExistingKind = "security group"
	ExistingElasticIP       ExistingKind = "elastic IP"
	ExistingPrivateZone     ExistingKind = "private zone"
	ExistingEndpointService ExistingKind = "endpoint service"
	ExistingKeyPair         ExistingKind = "key pair"
	ExistingImage           ExistingKind = "machine image"
)

// Existing is an AWS resource that a config refers to and that its stack does not create.
type Existing struct {
	Kind ExistingKind
	// Name is a public zone's domain, an OIDC provider's issuer, the name of an instance profile, a key pair or an endpoint service, the
	// ARN of a key, role, policy or load balancer, and the ID of all else.
	Name string
	// VPC is the ID of the VPC that a subnet, a security group or a private zone belongs to, "" for other kinds.
	VPC string
	// Zone is a subnet's availability zone, and Domain a private zone's domain name.
	Zone, Domain string
	// Document is the trust policy that a role needs, "" for other kinds.
	Document string
	// Tags are those that a security group needs, nil for other kinds.
	Tags map[string]string
	// InstanceType is a type of instance that a machine image has to be for, "" for other kinds.
	InstanceType string
}

// Existing lists the existing resources in the stack's account that the config refers to. m is what the management stack
// that it names outputs, nil where it names none or that is not known: roles that trust its issuer are then
// left out.
func (c *Config) Existing(m *ManagementOutputs) []Existing {
	if c.Management != nil {
		return c.Management.existing()
	}
	if c.CAPA != nil {
		return c.CAPA.existing()
	}
	return c.Cluster.existing(m)
}

func (c *Cluster) existing(m *ManagementOutputs) []Existing {
	var existing []Existing
	if c.EndpointAccess.HasPublic() {
		existing = append(existing, Existing{Kind: ExistingPublicZone, Name: c.BaseDomain})
	}
	if c.KMSKeyARN != "" && c.KMSKeyARN != NoKMSKey {
		existing = append(existing, Existing{Kind: ExistingKMSKey, Name: c.KMSKeyARN})
	}
	if c.OIDC.IssuerURL != "" {
		existing = append(existing, Existing{Kind: ExistingOIDCProvider, Name: c.OIDC.IssuerURL})
	}
	existing = append(existing, c.existingNetwork()...)
	if c.PrivateLink != nil {
		for _, arn := range c.PrivateLink.Balancers().ARNs {
			existing = append(existing, Existing{Kind: ExistingLoadBalancer, Name: arn})
		}
	}
	return append(existing, c.existingIAM(m)...)
}

// existing lists the existing resources that the config refers to, a zone before its parts.
func (m *Management) existing() []Existing {
	var existing []Existing
	if m.Zone != nil && m.Zone.ParentZone != "" {
		existing = append(existing, Existing{Kind: ExistingPublicZone, Name: m.Zone.ParentZone})
	}
	if m.Zone != nil && m.Zone.Existing {
		existing = append(existing, Existing{Kind: ExistingPublicZone, Name: m.Zone.Domain})
	}
	if m.Operator.IssuerURL != "" {
		existing = append(existing, Existing{Kind: ExistingOIDCProvider, Name: m.Operator.IssuerURL})
	}
	return existing
}

// existing lists the existing resources that the network refers to.
func (c *Cluster) existingNetwork() []Existing {
	n := c.Network
	var existing []Existing
	add := func(more ...Existing) { existing = append(existing, more...) }
	if e := n.Existing; e != nil {
		add(Existing{Kind: ExistingVPC, Name: e.VPCID})
		for _, subnets := range e.Subnets {
			if subnets.Private != "" {
				add(Existing{Kind: ExistingPrivateSubnet, Name: subnets.Private, Zone: subnets.Zone, VPC: e.VPCID})
			}
			if subnets.Public != "" {
				add(Existing{Kind: ExistingPublicSubnet, Name: subnets.Public, Zone: subnets.Zone, VPC: e.VPCID})
			}
		}
		for _, group := range n.SecurityGroups {
			add(Existing{Kind: ExistingSecurityGroup, Name: group, VPC: e.VPCID})
		}
		if e.PrivateZoneID != "" {
			add(Existing{Kind: ExistingPrivateZone, Name: e.PrivateZoneID, Domain: c.ZoneName(c.BaseDomainPrefix, c.BaseDomain), VPC: e.VPCID})
		}
		if e.LocalZoneID != "" {
			add(Existing{Kind: ExistingPrivateZone, Name: e.LocalZoneID, Domain: c.LocalZoneName(), VPC: e.VPCID})
		}
	}
	for _, zone := range slices.Sorted(maps.Keys(n.ElasticIPs)) {
		add(Existing{Kind: ExistingElasticIP, Name: n.ElasticIPs[zone]})
	}
	if n.Proxy != nil && n.Proxy.EndpointService != "" {
		add(Existing{Kind: ExistingEndpointService, Name: n.Proxy.EndpointService})
	}
	if s := n.Shared; s != nil && s.PermissionsBoundary != "" && !strings.Contains(s.PermissionsBoundary, ":iam::aws:") {
		add(Existing{Kind: ExistingPolicy, Name: s.PermissionsBoundary})
	}
	return existing
}

// existingIAM lists the existing resources that the config of roles refers to.
func (c *Cluster) existingIAM(m *ManagementOutputs) []Existing {
	var existing []Existing
	var given iam.Existing
	if c.IAM.Existing != nil {
		given = *c.IAM.Existing
	}
	if !c.takesIssuer() || m != nil {
		if m == nil {
			m = &ManagementOutputs{}
		}
		roles := map[string][]iam.RoleName{}
		for _, name := range slices.Sorted(maps.Keys(given.Roles)) {
			roles[given.Roles[name]] = append(roles[given.Roles[name]], name)
		}
		issuer := c.OIDCProvider(*m).Issuer()
		for _, arn := range slices.Sorted(maps.Keys(roles)) {
			account, _, _ := strings.Cut(arn, ":role/")
			provider := account + ":oidc-provider/" + strings.TrimPrefix(issuer, "https://")
			existing = append(existing, Existing{
				Kind: ExistingRole, Name: arn, Document: iam.TrustPolicy(provider, issuer, roles[arn]...).JSON(),
			})
		}
	}
	if given.InstanceProfile != "" {
		existing = append(existing, Existing{Kind: ExistingInstanceProfile, Name: given.InstanceProfile})
	}
	policies := []string{c.IAM.PermissionsBoundary}
	for _, role := range slices.Sorted(maps.Keys(c.IAM.ExtraPolicies)) {
		policies = append(policies, c.IAM.ExtraPolicies[role]...)
	}
	for i, arn := range policies {
		if arn != "" && !strings.Contains(arn, ":iam::aws:") && !slices.Contains(policies[:i], arn) {
			existing = append(existing, Existing{Kind: ExistingPolicy, Name: arn})
		}
	}
	return existing
}
