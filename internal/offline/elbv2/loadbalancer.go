// Package elbv2 declares the resource types and functions of Elastic Load Balancing for the offline account.
package elbv2

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/lb"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Kinds returns the resource types of Elastic Load Balancing.
func Kinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.LoadBalancer, Args: lb.LoadBalancerArgs{}, State: lb.LoadBalancerState{},
		Service: "ELBv2", Noun: "Load Balancer", Calls: aws.Calls{Update: "ModifyLoadBalancerAttributes"},
		AutoName:      "name",
		ConflictsWith: [][]string{{"subnetMappings", "subnets"}},
		Constants:     props.Map{"internal": false, "ipAddressType": "ipv4", "securityGroups": []any{}},
		ValidateFunc:  map[string]func(string) string{"name": loadBalancerNameFault},
		UniqueBy:      []string{"name"},
		References: []aws.Reference{{Input: "subnets", Type: awstype.Subnet, Dependency: aws.BlocksDeletion},
			{Input: "securityGroups", Type: awstype.SecurityGroup, Dependency: aws.BlocksDeletion}},
		NotFound: awserr.Template{Code: "LoadBalancerNotFound", Text: "Load balancer '%s' not found"},
		InUse: awserr.Template{
			Code: "ResourceInUse",
			Text: "Load balancer '%s' is currently in use by another resource",
		},
		Rules:       []aws.Rule{loadBalancerNameFree, loadBalancerZones, dualStackSubnets},
		DeleteRules: []aws.Rule{loadBalancerUnprotected},
		ID:          loadBalancerARN,
		OnCreate:    completeLoadBalancer,
	}, {
		Token: awstype.TargetGroup, Args: lb.TargetGroupArgs{}, State: lb.TargetGroupState{},
		Service: "ELBv2", Noun: "Target Group", Calls: aws.Calls{Update: "ModifyTargetGroupAttributes"},
		AutoName:     "name",
		Constants:    props.Map{"ipAddressType": "ipv4", "loadBalancerArns": []any{}},
		ValidateFunc: map[string]func(string) string{"name": loadBalancerNameFault},
		UniqueBy:     []string{"name"},
		References:   []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.Independent}},
		NotFound:     awserr.Template{Code: "TargetGroupNotFound", Text: "One or more target groups not found"},
		Rules:        []aws.Rule{targetGroupNameFree, targetGroupComplete},
		ID: func(c *aws.Call) string {
			name := c.State().String("name")
			return c.ARN("elasticloadbalancing", fmt.Sprintf("targetgroup/%s/%s", name,
				ids.StableEC2("", c.Account, c.Region, name)[1:]))
		},
		OnCreate: func(c *aws.Call) error {
			c.State()["arnSuffix"] = c.Resource.ID[strings.LastIndex(c.Resource.ID, ":")+1:]
			return nil
		},
	}}
}

// targetGroupNameFree: a target group's name is unique per account and region.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
func targetGroupNameFree(c *aws.Call) error {
	if len(c.Others("name")) > 0 {
		return awserr.Errorf("DuplicateTargetGroupName",
			"A target group with the same name '%s' exists, but with different settings",
			c.State().String("name"))
	}
	return nil
}

// targetGroupComplete: all targets except Lambda functions have a port, a protocol and a VPC.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
func targetGroupComplete(c *aws.Call) error {
	for _, input := range []string{"port", "protocol", "vpcId"} {
		if c.State().String("targetType") != "lambda" && !c.State().Has(input) {
			return awserr.Errorf("ValidationError", "%s should be set when target type is %s", input,
				c.State().String("targetType"))
		}
	}
	return nil
}

// loadBalancerNameFault checks a name against the grammar of load balancers' names.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
func loadBalancerNameFault(name string) string {
	switch {
	case len(name) > 32:
		return "\"name\" cannot be longer than 32 characters"
	case !loadBalancerName.MatchString(name):
		return "only alphanumeric characters and hyphens allowed in \"name\", and no hyphen at the beginning or end"
	default:
		return ""
	}
}

var loadBalancerName = regexp.MustCompile(`^[0-9A-Za-z]([-0-9A-Za-z]*[0-9A-Za-z])?$`)

// loadBalancerNameFree: a load balancer's name is unique per account and region.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
func loadBalancerNameFree(c *aws.Call) error {
	if len(c.Others("name")) > 0 {
		return awserr.Errorf("DuplicateLoadBalancerName",
			"A load balancer with the same name '%s' exists, but with different "+
				"settings", c.State().String("name"))
	}
	return nil
}

// loadBalancerZones: a load balancer has at least one subnet, and at most one per zone.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
func loadBalancerZones(c *aws.Call) error {
	subnets := c.State().Strings("subnets")
	if len(subnets) == 0 {
		return awserr.Errorf("ValidationError", "At least one subnet must be specified")
	}
	if first, _ := c.SameZone(subnets); first != "" {
		return awserr.Errorf("InvalidConfigurationRequest",
			"A load balancer cannot be attached to multiple subnets in the same "+
				"Availability Zone")
	}
	return nil
}

// dualStackSubnets: the subnets of a load balancer with addresses of both families have IPv6 CIDRs.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-ip-address-type.html
func dualStackSubnets(c *aws.Call) error {
	for _, id := range c.State().Strings("subnets") {
		if c.State().String("ipAddressType") == "dualstack" && c.Find(awstype.Subnet,
			id).State.String("ipv6CidrBlock") == "" {
			return awserr.Errorf("ValidationError", "You must specify subnets with an associated IPv6 CIDR block.")
		}
	}
	return nil
}

// loadBalancerUnprotected: a load balancer with deletion protection cannot be deleted.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteLoadBalancer.html
func loadBalancerUnprotected(c *aws.Call) error {
	if c.State().Bool("enableDeletionProtection") {
		return awserr.Errorf("OperationNotPermitted",
			"Load balancer '%s' cannot be deleted because deletion protection is enabled",
			c.Resource.ID)
	}
	return nil
}

func loadBalancerARN(c *aws.Call) string {
	name := c.State().String("name")
	kind := cmp.Or(map[string]string{"network": "net", "gateway": "gwy"}[c.State().String("loadBalancerType")], "app")
	return c.ARN("elasticloadbalancing", fmt.Sprintf("loadbalancer/%s/%s/%s", kind, name,
		ids.StableEC2("", c.Account, c.Region, name)[1:]))
}

func completeLoadBalancer(c *aws.Call) error {
	s := c.Resource.State
	_, suffix, _ := strings.Cut(c.Resource.ID, ":loadbalancer/")
	s["arnSuffix"] = suffix
	s["vpcId"] = c.Find(awstype.Subnet, s.Strings("subnets")[0]).State["vpcId"]
	s["dnsName"] = fmt.Sprintf("%s-%s.elb.%s.%s", s.String("name"), suffix[strings.LastIndex(suffix, "/")+1:], c.Region,
		c.DNSSuffix)
	s["zoneId"] = ids.StableCode("Z", c.Region, "elb")
	var mappings []any
	for _, subnet := range s.Strings("subnets") {
		mappings = append(mappings, map[string]any{"subnetId": subnet})
	}
	s["subnetMappings"] = mappings
	return nil
}

func getLoadBalancer(c *aws.Call, args lb.LookupLoadBalancerArgs) (*lb.LookupLoadBalancerResult, error) {
	var named, found []*store.Entry
	for _, rec := range c.All(awstype.LoadBalancer) {
		if (args.Arn == nil || rec.ID == *args.Arn) && aws.Matches(rec.State, "name", args.Name) {
			named = append(named, rec)
		}
	}
	if len(named) == 0 && (args.Arn != nil || args.Name != nil) { // DescribeLoadBalancers refuses it: LoadBalancerNotFound
		return nil, errors.New("reading ELBv2 Load Balancers: couldn't find resource")
	}
	for _, rec := range named {
		if aws.Tagged(rec.State, aws.Tags(args.Tags)) {
			found = append(found, rec)
		}
	}
	if len(found) != 1 {
		//nolint:staticcheck // the provider's words
		return nil, fmt.Errorf("Search returned %d results, please revise so only one is returned", len(found))
	}
	return aws.Describe[lb.LookupLoadBalancerResult](c, found[0], props.Map{
		"arn":            found[0].ID,
		"connectionLogs": []any{},
		"ipamPools":      []any{},
	})
}

// Functions returns the functions that look up load balancers.
func Functions() []*aws.Function {
	return []*aws.Function{
		aws.NewFunction("aws:lb/getLoadBalancer:getLoadBalancer", getLoadBalancer),
		aws.NewList("aws:lb/getLbs:getLbs", []string{awstype.LoadBalancer}, nil, map[string]string{"arns": "arn"}),
	}
}
