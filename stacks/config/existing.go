package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// ExistingKind is a kind of resource that a config can refer to and that its stack does not create.
type ExistingKind string

// The kinds of existing resources that a config can refer to.
const (
	ExistingPublicZone      ExistingKind = "public zone"
	ExistingKMSKey          ExistingKind = "KMS key"
	ExistingBucket          ExistingKind = "bucket"
	ExistingOIDCProvider    ExistingKind = "OIDC provider"
	ExistingRole            ExistingKind = "role"
	ExistingInstanceProfile ExistingKind = "instance profile"
	ExistingPolicy          ExistingKind = "policy"
	ExistingLoadBalancer    ExistingKind = "load balancer"
	ExistingVPC             ExistingKind = "VPC"
	ExistingDefaultVPC      ExistingKind = "default VPC"
	ExistingPrivateSubnet   ExistingKind = "private subnet"
	ExistingPublicSubnet    ExistingKind = "public subnet"
	ExistingSecurityGroup   ExistingKind = "security group"
	ExistingElasticIP       ExistingKind = "elastic IP"
	ExistingPrivateZone     ExistingKind = "private zone"
	ExistingEndpointService ExistingKind = "endpoint service"
	ExistingTransitGateway  ExistingKind = "transit gateway"
	ExistingFirewallService ExistingKind = "firewall service"
	ExistingIPAMPool        ExistingKind = "IPAM pool"
	ExistingPublicIPAMPool  ExistingKind = "public IPAM pool"
	ExistingPublicIPv4Pool  ExistingKind = "public IPv4 pool"
	ExistingKeyPair         ExistingKind = "key pair"
	ExistingImage           ExistingKind = "machine image"
	ExistingClientVPC       ExistingKind = "VPC of clients"
	ExistingClientSubnet    ExistingKind = "subnet of clients"
	ExistingClientGroup     ExistingKind = "security group of clients"
)

// Existing is an AWS resource that a config refers to and that its stack does not create.
type Existing struct {
	// Kind is what the resource is.
	Kind ExistingKind
	// Name is a public zone's domain, an OIDC provider's issuer, the name of a bucket, an instance profile, a key pair or
	// an endpoint service, the ARN of a key, role, policy or load balancer, and the ID of everything else.
	Name string
	// Provider is the name of the provider of the account that has it, "" for the stack's own. Owner is the account that
	// shares it with that account, or that has it beside a shared VPC; "" for none.
	Provider, Owner string
	// VPC is the ID of the VPC that a subnet, a security group or a private zone belongs to, "" for other kinds.
	VPC string
	// Zone is a subnet's availability zone, and Domain a private zone's domain name.
	Zone, Domain string
	// Document is the trust policy that a role needs, "" for other kinds.
	Document string
	// Tags are those that a security group needs, nil for other kinds.
	Tags map[string]string
	// Rules are those that a security group needs to accept the traffic of other groups, nil for other kinds.
	Rules []GroupRule
	// ClientIDs are those that an OIDC provider needs, nil for other kinds.
	ClientIDs []iam.ClientID
	// CIDR is a network that a VPC may have, and Services are those for which its machines need its endpoints: S3 and the
	// names of interface endpoints. They are empty for other kinds.
	CIDR     string
	Services []string
	// InstanceType is a type of instance that a machine image has to be for, "" for other kinds.
	InstanceType string
	// Region is the region of what clients have, "" for the provider's.
	Region string
	// LoadBalancer is the ARN of a load balancer that covers the zones of clients' subnets, "" if it is not known.
	LoadBalancer string
}

// GroupRule is a rule that a security group needs, or another group of the same machines.
type GroupRule struct {
	capa.GroupRule
	// Groups are the security groups of the machines that accept the traffic, and Sources the groups of the machines that
	// send it.
	Groups, Sources []string
}

// Existing lists the existing resources that the config refers to. m has the outputs of the
// management stack that the config names, nil if it names none or they are not known. Roles that trust its issuer are
// then left out.
func (c *Config) Existing(m *ManagementOutputs) []Existing { return c.Section.Existing(m) }

// Existing implements Section.
func (c *Cluster) Existing(m *ManagementOutputs) []Existing {
	existing := c.existingPublicZone()
	if key := input.Text(c.KMSKeyARN); key != "" && key != NoKMSKey {
		existing = append(existing, Existing{Kind: ExistingKMSKey, Name: key})
	}
	if issuer := input.Text(c.OIDC.IssuerURL); issuer != "" {
		existing = append(existing, Existing{Kind: ExistingOIDCProvider, Name: issuer, ClientIDs: c.clientIDs()})
	}
	if bucket := input.Text(c.OIDC.BucketName); bucket != "" && c.OIDC.SigningKey != nil && c.Accounts.Management == nil {
		existing = append(existing, Existing{Kind: ExistingBucket, Name: bucket})
	}
	existing = append(existing, c.existingNetwork()...)
	if c.PrivateLink != nil {
		for _, arn := range input.Texts(c.PrivateLink.Balancers().ARNs) {
			existing = append(existing, Existing{Kind: ExistingLoadBalancer, Name: arn})
		}
		existing = append(existing, c.existingClients()...)
	}
	return append(existing, c.existingIAM(m)...)
}

// existingClients lists the VPCs that reach the control plane from elsewhere, with what their endpoints use there.
func (c *Cluster) existingClients() []Existing {
	var existing []Existing
	add := func(kind ExistingKind, name, vpc, provider, region, balancer string) {
		if name != "" && !slices.ContainsFunc(existing, func(e Existing) bool { return e.Kind == kind && e.Name == name }) {
			existing = append(existing, Existing{Kind: kind, Name: name, VPC: vpc, Provider: provider, Region: region,
				LoadBalancer: balancer})
		}
	}
	providerOf := func(name string) string {
		if further := c.Accounts.furtherNamed(name); further != nil {
			return further.Provider()
		}
		return ""
	}
	balancer := ""
	for _, arn := range input.Texts(c.PrivateLink.Balancers().ARNs) {
		balancer = cmp.Or(balancer, arn)
	}
	for _, consumer := range c.PrivateLink.Consumers {
		provider, vpc := providerOf(consumer.Account), input.Text(consumer.VPCID)
		add(ExistingClientVPC, vpc, "", provider, "", "")
		for _, id := range input.Texts(consumer.SubnetIDs) {
			add(ExistingClientSubnet, id, vpc, provider, "", balancer)
		}
		for _, id := range input.Texts(consumer.AllowedSecurityGroups) {
			add(ExistingClientGroup, id, vpc, provider, "", "")
		}
	}
	for _, further := range c.PrivateLink.LocalZoneVPCs {
		add(ExistingClientVPC, input.Text(further.VPCID), "", providerOf(further.Account), further.Region, "")
	}
	return existing
}

// existingPublicZone lists the base domain's public zone, or the parent zone of the one that the stack creates.
func (c *Cluster) existingPublicZone() []Existing {
	created := c.Network.PublicZone
	switch {
	case !c.EndpointAccess.HasPublic():
		return nil
	case created == nil:
		return []Existing{{Kind: ExistingPublicZone, Name: c.BaseDomain}}
	case created.ParentZone == "":
		return nil
	}
	return []Existing{existingParentZone(created.ParentZone, c.Accounts.ParentZone)}
}

// existingParentZone returns the zone that delegates to a zone that the stack creates, in its account.
func existingParentZone(domain string, in *Account) Existing {
	parent := Existing{Kind: ExistingPublicZone, Name: domain}
	if in != nil {
		parent.Provider = ParentZoneAccountProvider
	}
	return parent
}

// clientIDs returns the client IDs that the cluster's OIDC provider needs. The client ID of AWS's SDKs is vital if the
// stack creates roles for pods.
func (c *Cluster) clientIDs() []iam.ClientID {
	ids := iam.ClientIDs()
	for i := range ids {
		ids[i].Vital = ids[i].Vital || len(c.IAM.WorkloadRoles) > 0
	}
	return ids
}

// Existing implements Section. A zone is listed before its parts.
func (m *Management) Existing(*ManagementOutputs) []Existing {
	var existing []Existing
	if m.Zone != nil && m.Zone.ParentZone != "" {
		existing = append(existing, existingParentZone(m.Zone.ParentZone, m.Accounts.ParentZone))
	}
	if m.Zone != nil && m.Zone.Existing {
		existing = append(existing, Existing{Kind: ExistingPublicZone, Name: m.Zone.Domain})
	}
	if issuer := input.Text(m.Operator.IssuerURL); issuer != "" {
		existing = append(existing, Existing{Kind: ExistingOIDCProvider, Name: issuer, ClientIDs: m.ClientIDs()})
	}
	if arn := input.Text(m.IAM.PermissionsBoundary); arn != "" && !strings.Contains(arn, ":iam::aws:") {
		existing = append(existing, Existing{Kind: ExistingPolicy, Name: arn})
	}
	return existing
}

// existingNetwork lists the existing resources that the network refers to.
func (c *Cluster) existingNetwork() []Existing {
	n := c.Network
	var existing []Existing
	add := func(more ...Existing) { existing = append(existing, more...) }
	if e := n.Existing; e != nil {
		vpc := input.Text(e.VPCID)
		base := n.Base()
		owner, zoneOwner := e.SharedVPC.Accounts()
		add(Existing{Kind: ExistingVPC, Name: vpc, Owner: owner, CIDR: layout.Free(base.Reserved),
			Services: base.ServicesOfVPC()})
		for _, subnets := range e.Subnets {
			if input.IsSet(subnets.Private) {
				add(Existing{Kind: ExistingPrivateSubnet, Name: input.Text(subnets.Private), Owner: owner,
					Zone: subnets.Zone, VPC: vpc})
			}
			if input.IsSet(subnets.Public) {
				add(Existing{Kind: ExistingPublicSubnet, Name: input.Text(subnets.Public), Owner: owner,
					Zone: subnets.Zone, VPC: vpc})
			}
		}
		pools, _ := c.PoolSubnets()
		for _, further := range pools {
			if id := input.Text(further.ID); id != "" {
				add(Existing{Kind: ExistingPrivateSubnet, Name: id, Owner: owner, Zone: further.Zone, VPC: vpc})
			}
		}
		for _, group := range append(input.Texts(n.SecurityGroups), input.Texts(n.EndpointSecurityGroups)...) {
			add(Existing{Kind: ExistingSecurityGroup, Name: group, VPC: vpc})
		}
		if id := input.Text(e.PrivateZoneID); id != "" {
			add(Existing{Kind: ExistingPrivateZone, Name: id, Owner: zoneOwner,
				Domain: c.ZoneName(c.BaseDomainPrefix, c.BaseDomain), VPC: vpc})
		}
		if id := input.Text(e.LocalZoneID); id != "" {
			add(Existing{Kind: ExistingPrivateZone, Name: id, Owner: zoneOwner, Domain: c.LocalZoneName(), VPC: vpc})
		}
	}
	for _, zone := range slices.Sorted(maps.Keys(n.ElasticIPs)) {
		add(Existing{Kind: ExistingElasticIP, Name: input.Text(n.ElasticIPs[zone])})
	}
	if n.TransitGateway != nil && input.Text(n.TransitGateway.ID) != "" {
		add(Existing{Kind: ExistingTransitGateway, Name: input.Text(n.TransitGateway.ID)})
	}
	if n.FirewallEndpoint != nil && input.Text(n.FirewallEndpoint.ServiceName) != "" {
		add(Existing{Kind: ExistingFirewallService, Name: input.Text(n.FirewallEndpoint.ServiceName)})
	}
	if n.IPAM != nil {
		add(Existing{Kind: ExistingIPAMPool, Name: n.IPAM.Pool})
	}
	switch pool := input.Text(n.PublicIPv4Pool); {
	case strings.HasPrefix(pool, "ipam-pool-"):
		add(Existing{Kind: ExistingPublicIPAMPool, Name: pool})
	case pool != "":
		add(Existing{Kind: ExistingPublicIPv4Pool, Name: pool})
	}
	if n.Proxy != nil && input.IsSet(n.Proxy.EndpointService) {
		add(Existing{Kind: ExistingEndpointService, Name: input.Text(n.Proxy.EndpointService)})
	}
	if n.Shared != nil {
		if arn := input.Text(n.Shared.PermissionsBoundary); arn != "" && !strings.Contains(arn, ":iam::aws:") {
			add(Existing{Kind: ExistingPolicy, Name: arn})
		}
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
			arn := input.Text(given.Roles[name])
			roles[arn] = append(roles[arn], name)
		}
		issuer := input.Text(c.OIDCProvider(*m).Issuer())
		for _, arn := range slices.Sorted(maps.Keys(roles)) {
			account, _, _ := strings.Cut(arn, ":role/")
			provider := account + ":oidc-provider/" + strings.TrimPrefix(issuer, "https://")
			existing = append(existing, Existing{
				Kind: ExistingRole, Name: arn, Document: iam.TrustPolicy(provider, issuer, roles[arn]...).JSON(),
			})
		}
	}
	if name := input.Text(given.InstanceProfile); name != "" {
		existing = append(existing, Existing{Kind: ExistingInstanceProfile, Name: name})
	}
	policies := []string{input.Text(c.IAM.PermissionsBoundary)}
	for _, role := range slices.Sorted(maps.Keys(c.IAM.ExtraPolicies)) {
		policies = append(policies, c.IAM.ExtraPolicies[role]...)
	}
	for _, workload := range c.IAM.WorkloadRoles {
		policies = append(policies, workload.Policies...)
	}
	for i, arn := range policies {
		if arn != "" && !strings.Contains(arn, ":iam::aws:") && !slices.Contains(policies[:i], arn) {
			existing = append(existing, Existing{Kind: ExistingPolicy, Name: arn})
		}
	}
	return existing
}
