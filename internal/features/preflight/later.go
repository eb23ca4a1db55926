package preflight

import (
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// HostedCluster is what determines the resources that operators create for a new hosted cluster after `up`.
type HostedCluster struct {
	// Public and Private are true if the control plane is reached over the internet, and over PrivateLink.
	Public, Private bool
	// APIServerLoadBalancer is true if the API server may have a private load balancer of its own, with an endpoint.
	APIServerLoadBalancer bool
	// StackEndpoint is true if the stack creates the PrivateLink endpoint of the private router instead of the operator.
	StackEndpoint bool
	// Cluster, VPC and Management are the places of the nodes, of their VPC and of the management cluster.
	Cluster, VPC, Management inventory.Place
}

// privateServices returns how many services of the control plane are reached over PrivateLink: the private router, and
// the API server if it has a load balancer of its own.
func (h HostedCluster) privateServices() int {
	switch {
	case !h.Private:
		return 0
	case h.APIServerLoadBalancer:
		return 2
	}
	return 1
}

// endpoints returns how many PrivateLink endpoints the operator creates.
func (h HostedCluster) endpoints() int {
	if h.Private && h.StackEndpoint {
		return h.privateServices() - 1
	}
	return h.privateServices()
}

// Later is a kind of resource that operators create for a hosted cluster, and its quota.
type Later struct {
	// What is it in words: "load balancer of the default ingress".
	What string
	// Quota is the quota's name in package awstype.
	Quota string
	// Place is the place in which it is created.
	Place inventory.Place
	// Count is how many there are.
	Count int
}

// Later returns what HyperShift and OpenShift create for a hosted cluster, beside the nodes. Source: HyperShift,
// docs/content/reference/infrastructure/aws.md.
func (h HostedCluster) Later() []Later {
	public := 0
	if h.Public {
		public = 1
	}
	return []Later{
		{"load balancer of the API, or of the public router", "networkLoadBalancers", h.Management, public},
		{"load balancers of the private router and the API server", "networkLoadBalancers", h.Management,
			h.privateServices()},
		{"load balancer of the default ingress", "networkLoadBalancers", h.Cluster, 1},
		{"default security group of the nodes", "securityGroups", h.Cluster, 1},
		// HyperShift sets NLBSecurityGroupMode = Managed for each hosted cluster's cloud controller, as OpenShift does for
		// the management cluster's.
		{"security group of the default ingress's load balancer", "securityGroups", h.Cluster, 1},
		{"security groups of the control plane's load balancers", "securityGroups", h.Management,
			public + h.privateServices()},
		{"security groups of the PrivateLink endpoints", "securityGroups", h.VPC, h.endpoints()},
		{"PrivateLink endpoints", "interfaceEndpointsPerVPC", h.VPC, h.endpoints()},
	}
}

// laterDemands returns the use of quotas by operators.
func (p Plan) laterDemands() []Demand {
	if p.Hosted == nil {
		return nil
	}
	var list []Demand
	for _, later := range p.Hosted.Later() {
		quota, _ := awstype.QuotaOf(later.Quota)
		d := Demand{Place: later.Place, Quota: later.Quota, Later: true, Count: later.Count, Stacks: []string{p.Stack}}
		if quota.Per == awstype.PerVPC {
			if d.Of = p.VPCID; d.Of == "" {
				d.Of, d.New = p.ownVPC()
			}
		}
		if d.Count > 0 && d.Account != "" && (d.Of != "" || quota.Per != awstype.PerVPC) {
			list = append(list, d)
		}
	}
	return list
}

// ownVPC returns the VPC that the stack creates or has created, as vpcFor does.
func (p Plan) ownVPC() (vpc string, isNew bool) {
	for _, r := range p.Resources {
		if r.Type == awstype.VPC && r.Created {
			return p.Stack + "/" + r.name(), true
		}
		if r.Type == awstype.VPC {
			return r.ID, false
		}
	}
	return "", false
}
