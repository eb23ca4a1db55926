package seed

import (
	"fmt"
	"regexp"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/elbv2"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

var loadBalancerARN = regexp.MustCompile(
	`^arn:[a-z-]+:elasticloadbalancing:([a-z0-9-]+):(\d{12}):(loadbalancer/(app|net|gwy)/([0-9A-Za-z-]+)/[0-9a-f]+)$`)

// belongsTo reports whether the seed belongs to that account and region: every seed does except a load balancer, whose ARN names its
// account and region.
func (s Seed) belongsTo(at aws.Site) bool {
	m := loadBalancerARN.FindStringSubmatch(s.Name)
	return s.Kind != LoadBalancer || m == nil || m[1] == at.Region && m[2] == at.Account
}

// createLoadBalancer creates an internal load balancer, with a VPC and a subnet in each of the first three zones of the account.
func createLoadBalancer(c *aws.Call, arn string) error {
	m := loadBalancerARN.FindStringSubmatch(arn)
	if m == nil {
		return fmt.Errorf("%q is not the ARN of a load balancer; use arn:aws:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/net/NAME/ID", arn)
	}
	vpc, err := createRequired(c, awstype.VPC, props.Map{"cidrBlock": "10.200.0.0/16", "enableDnsSupport": true})
	if err != nil {
		return err
	}
	var subnets []string
	for i, zone := range c.Zones()[:min(3, len(c.Zones()))] {
		subnet, err := createRequired(c, awstype.Subnet, props.Map{"vpcId": vpc, "availabilityZone": zone.Name,
			"cidrBlock": fmt.Sprintf("10.200.%d.0/20", 16*i)})
		if err != nil {
			return err
		}
		subnets = append(subnets, subnet)
	}
	kind := map[string]string{"net": "network", "gwy": "gateway", "app": "application"}[m[4]]
	c.Kind = c.Types.Kinds[awstype.LoadBalancer]
	c.Resource = &store.Record{Type: awstype.LoadBalancer, Scope: c.Region, Origin: store.BySeed, State: c.Kind.Constants.Clone()}
	for name, value := range (props.Map{"name": m[5], "internal": true, "loadBalancerType": kind, "subnets": props.List(subnets...),
		"tagsAll": map[string]any{}}) {
		c.Resource.State[name] = value
	}
	elbv2.CompleteLoadBalancer(c, m[3])
	c.Put(c.Resource)
	return nil
}

// createRequired creates a resource that a seed needs, and returns its ID.
func createRequired(c *aws.Call, token string, inputs props.Map) (string, error) {
	inner := &aws.Call{Tx: c.Tx, Site: c.Site, Kind: c.Types.Kinds[token]}
	for name, value := range inner.Kind.Defaults {
		if !inputs.Has(name) {
			inputs[name] = value
		}
	}
	inputs["tagsAll"] = map[string]any{}
	if err := inner.Create(inputs, store.BySeed); err != nil {
		return "", err
	}
	return inner.Resource.ID, nil
}
