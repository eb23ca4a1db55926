package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/lb"
)

const (
	loadBalancerToken = "aws:lb/loadBalancer:LoadBalancer"
	targetGroupToken  = "aws:lb/targetGroup:TargetGroup"
)

func loadBalancerKinds() []*kind {
	return []*kind{{
		token: loadBalancerToken, args: lb.LoadBalancerArgs{}, state: lb.LoadBalancerState{},
		service: "ELBv2", noun: "Load Balancer", calls: calls{update: "ModifyLoadBalancerAttributes"},
		named: "name",
		apart: [][]string{{"name", "namePrefix"}, {"subnetMappings", "subnets"}},
		computed: []string{"enforceSecurityGroupInboundRulesOnPrivateLinkTraffic", "internal", "ipAddressType", "name",
			"namePrefix", "securityGroups", "subnetMappings", "subnets"},
		defaults: props{"loadBalancerType": "application", "enableCrossZoneLoadBalancing": false,
			"enableDeletionProtection": false},
		fixed:    props{"internal": false, "ipAddressType": "ipv4", "securityGroups": []any{}, "namePrefix": ""},
		enums:    map[string][]string{"loadBalancerType": {"application", "gateway", "network"}},
		valid:    map[string]func(string) string{"name": loadBalancerNameFault},
		forms:    map[string]form{"securityGroups": asSet, "subnets": asSet},
		replaces: []string{"internal", "loadBalancerType", "name", "namePrefix"},
		unique:   []string{"name"},
		refs:     []ref{{"subnets", subnetToken, "", blocks}, {"securityGroups", securityGroupToken, "", blocks}},
		missing:  answer{"LoadBalancerNotFound", "Load balancer '%s' not found"},
		inUse:    answer{"ResourceInUse", "Load balancer '%s' is currently in use by another resource"},
		rules:    []rule{loadBalancerNameFree, loadBalancerZones},
		leaving:  []rule{loadBalancerUnprotected},
		make:     makeLoadBalancer,
	}, {
		token: targetGroupToken, args: lb.TargetGroupArgs{}, state: lb.TargetGroupState{},
		service: "ELBv2", noun: "Target Group", calls: calls{update: "ModifyTargetGroupAttributes"},
		named: "name",
		apart: [][]string{{"name", "namePrefix"}},
		computed: []string{"connectionTermination", "healthCheck", "ipAddressType", "loadBalancingAlgorithmType",
			"loadBalancingAnomalyMitigation", "loadBalancingCrossZoneEnabled", "name", "namePrefix", "preserveClientIp",
			"protocolVersion", "stickiness", "targetFailovers", "targetGroupHealth", "targetHealthStates"},
		defaults: props{"deregistrationDelay": 300.0, "lambdaMultiValueHeadersEnabled": false, "proxyProtocolV2": false,
			"slowStart": 0.0, "targetType": "instance"},
		fixed:    props{"ipAddressType": "ipv4", "loadBalancerArns": []any{}, "namePrefix": ""},
		enums:    map[string][]string{"targetType": {"alb", "instance", "ip", "lambda"}},
		valid:    map[string]func(string) string{"name": loadBalancerNameFault},
		replaces: []string{"ipAddressType", "name", "namePrefix", "port", "protocol", "protocolVersion", "targetType", "vpcId"},
		unique:   []string{"name"},
		refs:     []ref{{"vpcId", vpcToken, "", loose}},
		missing:  answer{"TargetGroupNotFound", "One or more target groups not found"},
		rules:    []rule{targetGroupNameFree, targetGroupComplete},
		make:     makeTargetGroup,
	}}
}

// targetGroupNameFree: a name is the only one of its account and region.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
func targetGroupNameFree(c *call) error {
	for _, other := range c.all(targetGroupToken) {
		if other.ID != c.rec.ID && other.State.text("name") == c.in().text("name") {
			return refuse("DuplicateTargetGroupName", "A target group with the same name '%s' exists, but with different settings",
				c.in().text("name"))
		}
	}
	return nil
}

// targetGroupComplete: all targets but functions have a port, a protocol and a VPC.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
func targetGroupComplete(c *call) error {
	for _, input := range []string{"port", "protocol", "vpcId"} {
		if c.in().text("targetType") != "lambda" && !c.in().has(input) {
			return refuse("ValidationError", "%s should be set when target type is %s", input, c.in().text("targetType"))
		}
	}
	return nil
}

func makeTargetGroup(c *call) error {
	s := c.rec.State
	s["name"] = or(s.text("name"), s.text("namePrefix")+randomOf("0123456789", 26))
	name := fmt.Sprintf("targetgroup/%s/%s", s.text("name"), stableID("", c.account, c.region, s.text("name"))[1:])
	c.rec.ID = c.arn("elasticloadbalancing", name)
	s["arn"], s["arnSuffix"] = c.rec.ID, name
	return nil
}

// loadBalancerNameFault is the grammar of names.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
func loadBalancerNameFault(name string) string {
	switch {
	case len(name) > 32:
		return "\"name\" cannot be longer than 32 characters"
	case !loadBalancerName.MatchString(name):
		return "only alphanumeric characters and hyphens allowed in \"name\", and none of the latter at an end"
	default:
		return ""
	}
}

var loadBalancerName = regexp.MustCompile(`^[0-9A-Za-z]([-0-9A-Za-z]*[0-9A-Za-z])?$`)

// loadBalancerNameFree: a name is the only one of its account and region.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
func loadBalancerNameFree(c *call) error {
	for _, other := range c.all(loadBalancerToken) {
		if other.ID != c.rec.ID && other.State.text("name") == c.in().text("name") {
			return refuse("DuplicateLoadBalancerName", "A load balancer with the same name '%s' exists, but with different "+
				"settings", c.in().text("name"))
		}
	}
	return nil
}

// loadBalancerZones: there is a subnet, and one a zone.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
func loadBalancerZones(c *call) error {
	subnets := c.in().texts("subnets")
	if len(subnets) == 0 {
		return refuse("ValidationError", "At least one subnet must be specified")
	}
	seen := map[string]bool{}
	for _, id := range subnets {
		zone := c.find(subnetToken, id).State.text("availabilityZone")
		if seen[zone] {
			return refuse("InvalidConfigurationRequest", "A load balancer cannot be attached to multiple subnets in the same "+
				"Availability Zone")
		}
		seen[zone] = true
	}
	return nil
}

// loadBalancerUnprotected: what is protected is not deleted.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteLoadBalancer.html
func loadBalancerUnprotected(c *call) error {
	if c.in().yes("enableDeletionProtection") {
		return refuse("OperationNotPermitted", "Load balancer '%s' cannot be deleted because deletion protection is enabled",
			c.rec.ID)
	}
	return nil
}

func makeLoadBalancer(c *call) error {
	s := c.rec.State
	s["name"] = cmp.Or(s.text("name"), s.text("namePrefix")+randomOf("0123456789", 26))
	kind := map[string]string{"network": "net", "gateway": "gwy"}[s.text("loadBalancerType")]
	hash := stableID("", c.account, c.region, s.text("name"))[1:]
	c.completeLoadBalancer(fmt.Sprintf("loadbalancer/%s/%s/%s", cmp.Or(kind, "app"), s.text("name"), hash))
	return nil
}

// completeLoadBalancer gives a load balancer all that follows from its name within an ARN.
func (c *call) completeLoadBalancer(name string) {
	s := c.rec.State
	c.rec.ID = c.arn("elasticloadbalancing", name)
	s["arn"], s["arnSuffix"] = c.rec.ID, strings.TrimPrefix(name, "loadbalancer/")
	s["vpcId"] = c.find(subnetToken, s.texts("subnets")[0]).State["vpcId"]
	s["dnsName"] = fmt.Sprintf("%s-%s.elb.%s.%s", s.text("name"), name[strings.LastIndex(name, "/")+1:], c.region, c.dnsSuffix)
	s["zoneId"] = stableCode("Z", c.region, "elb")
	var mappings []any
	for _, subnet := range s.texts("subnets") {
		mappings = append(mappings, map[string]any{"subnetId": subnet})
	}
	s["subnetMappings"] = mappings
}

func getLoadBalancer(c *call, args lb.LookupLoadBalancerArgs) (*lb.LookupLoadBalancerResult, error) {
	rec, err := c.only("ELBv2 Load Balancer", loadBalancerToken, deref(args.Arn), args.Tags, func(s props) bool {
		return matches(s, "name", args.Name)
	})
	if err != nil {
		return nil, err
	}
	s := rec.State
	result := &lb.LookupLoadBalancerResult{Id: rec.ID, Arn: rec.ID, ArnSuffix: s.text("arnSuffix"), DnsName: s.text("dnsName"),
		Name: s.text("name"), Internal: s.yes("internal"), LoadBalancerType: s.text("loadBalancerType"),
		IpAddressType: s.text("ipAddressType"), Subnets: s.texts("subnets"), SecurityGroups: s.texts("securityGroups"),
		VpcId: s.text("vpcId"), ZoneId: s.text("zoneId"), Tags: tagsOf(s),
		ConnectionLogs: []lb.GetLoadBalancerConnectionLog{}, IpamPools: []lb.GetLoadBalancerIpamPool{}}
	for _, subnet := range result.Subnets {
		result.SubnetMappings = append(result.SubnetMappings, lb.GetLoadBalancerSubnetMapping{SubnetId: subnet})
	}
	return result, nil
}

func getLoadBalancers(c *call, args lb.GetLbsArgs) (*lb.GetLbsResult, error) {
	result := &lb.GetLbsResult{Id: c.region, Arns: []string{}, Tags: args.Tags}
	for _, rec := range c.all(loadBalancerToken) {
		if tagged(rec.State, args.Tags) {
			result.Arns = append(result.Arns, rec.ID)
		}
	}
	slices.Sort(result.Arns)
	return result, nil
}

// loadBalancerFunctions are the functions that look up load balancers.
func loadBalancerFunctions() []*function {
	return []*function{
		answering("aws:lb/getLoadBalancer:getLoadBalancer", getLoadBalancer),
		answering("aws:lb/getLbs:getLbs", getLoadBalancers),
	}
}
