package config

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

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

	// ServiceName is the name of an existing endpoint service, "com.amazonaws.vpce.<region>.vpce-svc-…". The nodes' zones
	// are compared with its zones, and with owner stack the endpoint connects to it. Default none.
	ServiceName string `yaml:"serviceName" pulumi:"serviceName,optional"`
	// ManagementVPC is the ID of the management cluster's VPC, "vpc-…". While there is no endpoint service, the nodes'
	// zones are compared with the zones of its subnets. Default: they are not compared.
	ManagementVPC string `yaml:"managementVPC" pulumi:"managementVPC,optional"`
}

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
	faults.Join("", p.validateOwner())
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

// EndpointPrincipals returns the principals, in addition to the control-plane-operator, that may connect to the stack's
// endpoint service. They are the config's or, if it has none, the account with the given ARN. A stack without an
// endpoint service has none. HyperShift's operator removes principals that the HostedCluster does not name.
func (c *Cluster) EndpointPrincipals(account string) []pulumi.StringInput {
	switch {
	case c.PrivateLink == nil || !c.PrivateLink.MakesService():
		return nil
	case len(c.PrivateLink.AllowedPrincipals) > 0:
		return c.PrivateLink.AllowedPrincipals
	}
	return input.Strings(account)
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
