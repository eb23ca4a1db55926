package seed

import (
	"fmt"
	"regexp"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
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
	vpc, err := seed(c, awstype.VPC, "", props.Map{"cidrBlock": "10.200.0.0/16"})
	if err != nil {
		return err
	}
	var subnets []string
	for i, zone := range c.Zones()[:min(3, len(c.Zones()))] {
		subnet, err := seed(c, awstype.Subnet, "", props.Map{"vpcId": vpc, "availabilityZone": zone.Name,
			"cidrBlock": fmt.Sprintf("10.200.%d.0/20", 16*i)})
		if err != nil {
			return err
		}
		subnets = append(subnets, subnet)
	}
	kind := map[string]string{"net": "network", "gwy": "gateway", "app": "application"}[m[4]]
	_, err = seed(c, awstype.LoadBalancer, arn, props.Map{"name": m[5], "internal": true, "loadBalancerType": kind, "subnets": props.List(subnets...)})
	return err
}
