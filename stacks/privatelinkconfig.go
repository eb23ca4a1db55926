package stacks

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
)

// PrivateLinkConfig is hypershift-aws:cluster.privateLink: who makes the endpoint service and the endpoint, and how.
type PrivateLinkConfig struct {
	// Owner is who makes them: operator (default) or stack.
	Owner PrivateLinkOwner `yaml:"owner"`
	// Service is what nodes reach over PrivateLink: private-router (default) or kube-apiserver-private.
	Service privatelink.Service `yaml:"service"`
	// LoadBalancers are those that the endpoint service stands on. Required of owner stack without ServiceName.
	LoadBalancers LoadBalancersConfig `yaml:"loadBalancers"`
	// AllowedPrincipals may connect, beside the cluster's control-plane-operator. Default: the stack's account.
	AllowedPrincipals []string `yaml:"allowedPrincipals"`
	// AcceptanceRequired has connections wait for somebody to accept them. Default false.
	AcceptanceRequired bool `yaml:"acceptanceRequired"`
	// PrivateDNSName is a name that the service offers to those who connect. Default none.
	PrivateDNSName string `yaml:"privateDNSName"`
	// ServiceName is an endpoint service that is there already: the zones are held against it, and owner stack connects
	// to it. Default none.
	ServiceName string `yaml:"serviceName"`
	// ManagementVPC is the management cluster's VPC: while there is no service, the zones are held against its subnets.
	// Default: they are not.
	ManagementVPC string `yaml:"managementVPC"`
}

// LoadBalancersConfig is hypershift-aws:cluster.privateLink.loadBalancers: one of the three.
type LoadBalancersConfig struct {
	// ARNs are load balancers' ARNs.
	ARNs []string `yaml:"arns"`
	// Names are load balancers' names.
	Names []string `yaml:"names"`
	// Tags are what the load balancers carry.
	Tags map[string]string `yaml:"tags"`
}

// PrivateLinkOwner is who makes the endpoint service and the endpoint.
type PrivateLinkOwner string

const (
	// OwnerOperator leaves both to HyperShift's operators. It is the default.
	OwnerOperator PrivateLinkOwner = "operator"
	// OwnerStack has the stack make both.
	OwnerStack PrivateLinkOwner = "stack"
)

// OrDefault is o, or OwnerOperator for the zero value.
func (o PrivateLinkOwner) OrDefault() PrivateLinkOwner {
	if o == "" {
		return OwnerOperator
	}
	return o
}

// Validate returns a fault for an unknown owner.
func (o PrivateLinkOwner) Validate() error {
	switch o.OrDefault() {
	case OwnerOperator, OwnerStack:
		return nil
	}
	return &fault.Fault{Value: string(o), Problem: "is no owner of PrivateLink", Remedy: "give operator or stack"}
}

// validate returns every fault that can be seen without asking AWS. region is "" where it is not known.
func (c *PrivateLinkConfig) validate(region string) error {
	var faults fault.Faults
	faults.Join("owner", c.Owner.Validate())
	faults.Join("service", c.Service.Validate())
	if c.ServiceName != "" {
		faults.Join("serviceName", privatelink.ValidateServiceName(c.ServiceName, region))
	}
	for i, principal := range c.AllowedPrincipals {
		faults.Join(fmt.Sprintf("allowedPrincipals[%d]", i), privatelink.ValidatePrincipal(principal))
	}
	if c.PrivateDNSName != "" {
		faults.Join("privateDNSName", hypershift.ValidateDomain(c.PrivateDNSName))
	}
	balancers := c.balancers()
	if !balancers.IsZero() {
		faults.Join("loadBalancers", balancers.Validate(region))
	}
	faults.Join("", c.validateOwner())
	return faults.Err()
}

// validateOwner returns a fault for each key that says what the owner does not make.
func (c *PrivateLinkConfig) validateOwner() error {
	var faults fault.Faults
	makesService := c.Owner == OwnerStack && c.ServiceName == ""
	if makesService && c.balancers().IsZero() {
		faults.Add("loadBalancers", nil, "are missing", "give arns, names or tags of the control plane's network load balancers, or the serviceName of a service that is there")
	}
	if makesService {
		return faults.Err()
	}
	problem, remedy := "is of an endpoint service that HyperShift's operator makes", "leave it out, or give owner: stack"
	if c.Owner == OwnerStack {
		problem, remedy = "is of an endpoint service that is there already", "leave it out, or serviceName"
	}
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"loadBalancers", !c.balancers().IsZero()},
		{"allowedPrincipals", len(c.AllowedPrincipals) > 0},
		{"acceptanceRequired", c.AcceptanceRequired},
		{"privateDNSName", c.PrivateDNSName != ""},
	} {
		if key.given {
			faults.Add(key.name, nil, problem, remedy)
		}
	}
	return faults.Err()
}

func (c *PrivateLinkConfig) balancers() privatelink.LoadBalancers {
	return privatelink.LoadBalancers{ARNs: c.LoadBalancers.ARNs, Names: c.LoadBalancers.Names, Tags: c.LoadBalancers.Tags}
}

// PrivateLinkOwner is who makes the endpoint, the operators where there is no section.
func (c *ClusterConfig) PrivateLinkOwner() PrivateLinkOwner {
	if c.PrivateLink == nil {
		return OwnerOperator
	}
	return c.PrivateLink.Owner.OrDefault()
}

// PrivateLinkService is what nodes reach over PrivateLink.
func (c *ClusterConfig) PrivateLinkService() privatelink.Service {
	if c.PrivateLink == nil {
		return privatelink.PrivateRouter
	}
	return c.PrivateLink.Service.OrDefault()
}
