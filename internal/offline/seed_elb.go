package offline

import (
	"fmt"
	"regexp"
)

var loadBalancerARN = regexp.MustCompile(
	`^arn:[a-z-]+:elasticloadbalancing:([a-z0-9-]+):(\d{12}):(loadbalancer/(app|net|gwy)/([0-9A-Za-z-]+)/[0-9a-f]+)$`)

// belongs says whether the seed is one of that account and region: all are but load balancers, whose ARN says whose
// they are.
func (s Seed) belongs(at site) bool {
	m := loadBalancerARN.FindStringSubmatch(s.Name)
	return s.Kind != SeedLoadBalancer || m == nil || m[1] == at.region && m[2] == at.account
}

// plantLoadBalancer puts an internal load balancer into the account, with a VPC around it and a subnet in each of the
// first three of the zones that the account sees.
func (c *call) plantLoadBalancer(arn string) error {
	m := loadBalancerARN.FindStringSubmatch(arn)
	if m == nil {
		return fmt.Errorf("%q is not the ARN of a load balancer; give arn:aws:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/net/NAME/ID", arn)
	}
	vpc, err := c.plantOne(vpcToken, props{"cidrBlock": "10.200.0.0/16", "enableDnsSupport": true})
	if err != nil {
		return err
	}
	var subnets []string
	for i, zone := range c.zones()[:min(3, len(c.zones()))] {
		subnet, err := c.plantOne(subnetToken, props{"vpcId": vpc, "availabilityZone": zone.name,
			"cidrBlock": fmt.Sprintf("10.200.%d.0/20", 16*i)})
		if err != nil {
			return err
		}
		subnets = append(subnets, subnet)
	}
	kind := map[string]string{"net": "network", "gwy": "gateway", "app": "application"}[m[4]]
	c.kind = c.types.kinds[loadBalancerToken]
	c.rec = &record{Type: loadBalancerToken, Scope: c.region, Origin: bySeed, State: c.kind.fixed.clone()}
	for name, value := range (props{"name": m[5], "internal": true, "loadBalancerType": kind, "subnets": list(subnets...),
		"tagsAll": map[string]any{}}) {
		c.rec.State[name] = value
	}
	c.completeLoadBalancer(m[3])
	c.put(c.rec)
	return nil
}

// plantOne puts a resource into the account for what is planted next to it, and gives its ID.
func (c *call) plantOne(token string, inputs props) (string, error) {
	inner := &call{accountTx: c.accountTx, site: c.site, kind: c.types.kinds[token]}
	for name, value := range inner.kind.defaults {
		if !inputs.has(name) {
			inputs[name] = value
		}
	}
	inputs["tagsAll"] = map[string]any{}
	if err := inner.create(inputs, bySeed); err != nil {
		return "", err
	}
	return inner.rec.ID, nil
}
