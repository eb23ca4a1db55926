package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// PrivateLink determines who creates the endpoint service and the endpoint, and how.
type PrivateLink struct {
	// Owner is who creates the endpoint service and the endpoint: HyperShift's operators (operator) or this stack (stack).
	// Default operator. Changing it transfers both in place.
	Owner PrivateLinkOwner `yaml:"owner" pulumi:"owner,optional"`
	// Service is the control plane service that nodes reach over PrivateLink. Default private-router. Changing it replaces
	// the endpoint service and the endpoint.
	Service privatelink.Service `yaml:"service" pulumi:"service,optional"`

	privatelink.EndpointServiceArgs `yaml:",inline"`
	privatelink.Clients             `yaml:",inline"`

	// ServiceName is the name of an existing endpoint service, "com.amazonaws.vpce.<region>.vpce-svc-…". The nodes' zones
	// are compared with its zones, and with owner stack the endpoint connects to it. Default none.
	ServiceName string `yaml:"serviceName" pulumi:"serviceName,optional"`
	// ManagementVPC is the ID of the management cluster's VPC, "vpc-…". While there is no endpoint service, the nodes'
	// zones are compared with the zones of its subnets. Default: they are not compared.
	ManagementVPC string `yaml:"managementVPC" pulumi:"managementVPC,optional"`
	// LocalZoneVPCs are further VPCs, of any account, in which the names of the zone <name>.hypershift.local resolve to
	// the nodes' endpoint. Each needs a route to it, and its clients must be in allowedCIDRs. Default none.
	LocalZoneVPCs []LocalZoneVPC `yaml:"localZoneVPCs" pulumi:"localZoneVPCs,optional"`
	// Consumers are further VPCs, of any account, that reach the control plane by an endpoint of their own, such as the
	// hub of a network. Their accounts may connect to the endpoint service. With owner operator, they are created by the
	// `up` after HyperShift's operator has created the service. Default none.
	Consumers []Consumer `yaml:"consumers" pulumi:"consumers,optional"`
}

// LocalZoneVPC is a VPC that the local zone is associated with.
type LocalZoneVPC struct {
	// Account is the name in accounts.further of the VPC's account. Default: the account of the zone.
	Account string `yaml:"account" pulumi:"account,optional"`

	privatelink.ZoneAssociationArgs `yaml:",inline"`
}

// Consumer is a VPC with an endpoint of its own.
type Consumer struct {
	// Name distinguishes the consumers, such as "hub": lower-case letters, digits and hyphens. Required. Changing it
	// replaces the endpoint.
	Name string `yaml:"name" pulumi:"name"`
	// Account is the name in accounts.further of the VPC's account. Default: the stack's own account.
	Account string `yaml:"account" pulumi:"account,optional"`

	privatelink.ConsumerArgs `yaml:",inline"`
}

// PrivateAccessName is the name of the component with what lets other VPCs reach the control plane. The names of its
// parts begin with it.
const PrivateAccessName = "private-access"

// ResourceName returns the name of the consumer's component, and of its endpoint.
func (c Consumer) ResourceName() string { return PrivateAccessName + "-" + c.Name }

// PrivateLinkOwner is the creator of the endpoint service and the endpoint.
type PrivateLinkOwner string

const (
	// OwnerOperator leaves both to HyperShift's operators. It is the default.
	OwnerOperator PrivateLinkOwner = "operator"
	// OwnerStack means that the stack creates both.
	OwnerStack PrivateLinkOwner = "stack"
)

// OrDefault returns o, or OwnerOperator for the zero value.
func (o PrivateLinkOwner) OrDefault() PrivateLinkOwner { return cmp.Or(o, OwnerOperator) }

// Validate returns a fault for an unknown owner.
func (o PrivateLinkOwner) Validate() error {
	return enum.Validate(o, "is not an owner of PrivateLink", OwnerOperator, OwnerStack)
}

func (c *Cluster) validatePrivateLink(region string) fault.Faults {
	var faults fault.Faults
	p := c.PrivateLink
	if p == nil {
		return nil
	}
	faults.Join("privateLink", p.validate(region))
	faults.Join("privateLink", c.validateAccess(region))
	if c.Network.Shared != nil && p.Owner == OwnerStack {
		faults.Add("privateLink.owner", OwnerStack, "is not possible in a shared VPC, where HyperShift's operator creates the endpoint with a role in the VPC owner's account",
			"use operator, or leave network.shared out")
	}
	return faults
}

// validate returns every fault that can be found without calling AWS. region is "" if unknown.
func (p *PrivateLink) validate(region string) error {
	var faults fault.Faults
	faults.Join("owner", p.Owner.Validate())
	faults.Join("service", p.Service.Validate())
	if p.ServiceName != "" {
		faults.Join("serviceName", privatelink.ValidateServiceName(p.ServiceName, region))
	}
	for i, principal := range p.AllowedPrincipals {
		faults.Join(fmt.Sprintf("allowedPrincipals[%d]", i), input.IfPlain(principal, privatelink.ValidatePrincipal))
	}
	if input.IsSet(p.PrivateDNSName) {
		faults.Join("privateDNSName", input.IfPlain(p.PrivateDNSName, hypershift.ValidateDomain))
	}
	if balancers := p.Balancers(); !balancers.IsZero() {
		faults.Join("loadBalancers", balancers.Validate(region))
	}
	faults.Join("", p.Clients.Validate())
	faults.Join("", p.validateOwner())
	return faults.Err()
}

// validateAccess returns the faults in the VPCs that reach the control plane from elsewhere.
func (c *Cluster) validateAccess(region string) error {
	var faults fault.Faults
	zoned := map[string]string{}
	twice := func(path string, vpc pulumi.StringInput) {
		id := input.Text(vpc)
		if first := zoned[id]; id != "" && first != "" {
			faults.Add(path+".vpcID", id, "already gets the zone "+c.LocalZoneName()+" by "+first+
				", and Route 53 refuses a second one in a VPC", "leave one of them out")
		} else if id != "" {
			zoned[id] = path
		}
	}
	if n := c.Network.Existing; n != nil {
		zoned[input.Text(n.VPCID)] = "network.existing"
	}
	for i := range c.PrivateLink.LocalZoneVPCs {
		path, vpc := fmt.Sprintf("localZoneVPCs[%d]", i), &c.PrivateLink.LocalZoneVPCs[i]
		args := vpc.ZoneAssociationArgs
		args.ZoneID = placeholder
		faults.Join(path, args.Validate())
		if of := hypershift.Partition(region); region != "" && hypershift.IsRegion(vpc.Region) &&
			hypershift.Partition(vpc.Region) != of {
			faults.Add(path+".region", vpc.Region, "is not in the partition of "+region, "use a region of partition "+of)
		}
		faults.Join(path, c.Accounts.validateName(vpc.Account))
		twice(path, vpc.VPCID)
	}
	if n := c.Network.Existing; n != nil && n.SharedVPC != nil && len(c.PrivateLink.LocalZoneVPCs) > 0 {
		faults.Add("localZoneVPCs", nil, "are not possible with network.existing.sharedVPC, whose owner has the zone",
			"leave them out, and ask the owner to associate the VPCs with the zone")
	}
	names := map[string]int{}
	for i := range c.PrivateLink.Consumers {
		path, consumer := fmt.Sprintf("consumers[%d]", i), &c.PrivateLink.Consumers[i]
		args := consumer.ConsumerArgs
		args.Cluster = c.Cluster
		faults.Join(path, args.ValidateVPC())
		faults.Join(path, c.Accounts.validateName(consumer.Account))
		if account := c.Accounts.furtherNamed(consumer.Account); account != nil && account.ID() == "" {
			faults.Add(path+".account", consumer.Account,
				"does not tell its ID, and the endpoint service has to allow the account",
				"set allowedAccountIds of the account to its ID")
		}
		if first, has := names[consumer.Name]; has {
			faults.Add(path+".name", consumer.Name, fmt.Sprintf("is the name of consumer [%d]", first),
				"use a different name for each consumer")
		} else if len(validation.IsDNS1123Label(consumer.Name)) > 0 {
			faults.Add(path+".name", consumer.Name, "is not a name", "use lower-case letters, digits, and hyphens, such as hub")
		}
		names[consumer.Name] = i
		if !input.IsSet(consumer.LocalZoneID) {
			twice(path, consumer.VPCID)
		}
	}
	return faults.Err()
}

// validateName returns a fault if a VPC's account is not one of the further ones; "" is the default account.
func (c Accounts) validateName(name string) error {
	if name == "" || c.furtherNamed(name) != nil {
		return nil
	}
	return &fault.Fault{Path: "account", Value: name, Problem: "is not the name of an account in accounts.further",
		Remedy: "add the account to accounts.further, or correct the name"}
}

// validateFurther returns a fault for each further account that no VPC names.
func (c *Cluster) validateFurther() error {
	var faults fault.Faults
	for i, account := range c.Accounts.Further {
		used := func(name string) bool { return name == account.Name }
		if p := c.PrivateLink; account.Name != "" && (p == nil ||
			!slices.ContainsFunc(p.LocalZoneVPCs, func(v LocalZoneVPC) bool { return used(v.Account) }) &&
				!slices.ContainsFunc(p.Consumers, func(v Consumer) bool { return used(v.Account) })) {
			faults.Add(fmt.Sprintf("[%d]", i), account.Name, "is not used: no VPC in privateLink is in that account",
				"leave it out, or name it as account of privateLink.consumers or privateLink.localZoneVPCs")
		}
	}
	return faults.Err()
}

// validateOwner returns a fault for each key of an endpoint service that the owner does not create.
func (p *PrivateLink) validateOwner() error {
	var faults fault.Faults
	switch {
	case p.MakesService() && p.Balancers().IsZero():
		faults.Add("loadBalancers", nil, "are missing", "set arns, names, or tags of the control plane's network load balancers, or the serviceName of an existing service")
		return faults.Err()
	case p.MakesService():
		return nil
	}
	problem, remedy := "is for an endpoint service that HyperShift's operator creates", "leave it out, or set owner: stack"
	if p.Owner == OwnerStack {
		problem, remedy = "conflicts with serviceName, which names an existing service", "set only one of the two"
	}
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"loadBalancers", !p.Balancers().IsZero()},
		{"allowedPrincipals", len(p.AllowedPrincipals) > 0},
		{"acceptanceRequired", p.AcceptanceRequired},
		{"privateDNSName", input.IsSet(p.PrivateDNSName)},
	} {
		if key.given {
			faults.Add(key.name, nil, problem, remedy)
		}
	}
	return faults.Err()
}

// MakesService reports whether the stack also creates the endpoint service.
func (p *PrivateLink) MakesService() bool { return p.Owner == OwnerStack && p.ServiceName == "" }

// EndpointPrincipals returns the principals, in addition to the control-plane-operator, that may connect to the
// endpoint service: those of the stack's own service, which are the config's or, if it has none, the account with the
// given ARN, and the accounts of consumers. HyperShift's operator removes principals that the HostedCluster does not
// name.
func (c *Cluster) EndpointPrincipals(account string) []pulumi.StringInput {
	if c.PrivateLink == nil {
		return nil
	}
	var principals []pulumi.StringInput
	if c.PrivateLink.MakesService() {
		if principals = slices.Clone(c.PrivateLink.AllowedPrincipals); len(principals) == 0 {
			principals = input.Strings(account)
		}
	}
	for _, consumer := range c.PrivateLink.Consumers {
		arn := account
		if further := c.Accounts.furtherNamed(consumer.Account); further != nil {
			arn = principalIn(account, further.ID())
		}
		if !slices.Contains(input.Texts(principals), arn) {
			principals = append(principals, pulumi.String(arn))
		}
	}
	return principals
}

// principalIn returns the ARN of another account than the one with the given ARN, in the same partition.
func principalIn(arn, account string) string {
	parts := strings.Split(arn, ":")
	parts[4] = account
	return strings.Join(parts, ":")
}

// Balancers returns the load balancers of the endpoint service, or the zero value where none are given.
func (p *PrivateLink) Balancers() privatelink.LoadBalancers {
	if p.LoadBalancers == nil {
		return privatelink.LoadBalancers{}
	}
	return *p.LoadBalancers
}

// PrivateLinkOwner returns who creates the endpoint. Without the section it is the operators.
func (c *Cluster) PrivateLinkOwner() PrivateLinkOwner {
	if c.PrivateLink == nil {
		return OwnerOperator
	}
	return c.PrivateLink.Owner.OrDefault()
}

// APIServerLoadBalancer reports whether the API server has, or may have, its own load balancer and endpoint. Its record
// in the local zone then points to them. With a management stack and without externalDNSDomain, the management stack's
// zone determines this.
func (c *Cluster) APIServerLoadBalancer() bool {
	if c.HostedCluster == nil || c.PrivateLinkService() != privatelink.PrivateRouter {
		return false
	}
	byRoute, err := c.HostedClusterSettings("").APIServerByRoute()
	return err != nil || !byRoute
}

// PrivateLinkService returns the service that nodes reach over PrivateLink.
func (c *Cluster) PrivateLinkService() privatelink.Service {
	if c.PrivateLink == nil {
		return privatelink.PrivateRouter
	}
	return c.PrivateLink.Service.OrDefault()
}
