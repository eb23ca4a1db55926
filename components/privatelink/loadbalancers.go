package privatelink

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/lb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// LoadBalancers select the network load balancers of an endpoint service, by exactly one of ARNs, names and tags.
type LoadBalancers struct {
	// ARNs are the ARNs of the load balancers, "arn:…:loadbalancer/net/…". Default none.
	ARNs []pulumi.StringInput `yaml:"arns" pulumi:"arns,optional"`
	// Names are the names of the load balancers. Default none.
	Names []pulumi.StringInput `yaml:"names" pulumi:"names,optional"`
	// Tags are the tags that each load balancer must have. Default none.
	Tags map[string]string `yaml:"tags" pulumi:"tags,optional"`
}

// IsZero reports whether nothing is selected.
func (l LoadBalancers) IsZero() bool { return len(l.ARNs)+len(l.Names)+len(l.Tags) == 0 }

// ArePlain reports whether no ARN and no name is an output.
func (l LoadBalancers) ArePlain() bool { return input.ArePlain(slices.Concat(l.ARNs, l.Names)...) }

var (
	loadBalancerARNPattern  = regexp.MustCompile(`^arn:aws[a-z-]*:elasticloadbalancing:([a-z0-9-]+):[0-9]{12}:loadbalancer/([a-z]+)/[0-9A-Za-z-]+/[0-9a-f]+$`)
	loadBalancerNamePattern = regexp.MustCompile(`^[0-9A-Za-z]([-0-9A-Za-z]{0,30}[0-9A-Za-z])?$`)
)

// Validate returns every fault that can be found without calling AWS: none or more than one way to select, invalid ARNs
// and names, and ARNs of another kind of load balancer or of another region than region; "" for any region.
func (l LoadBalancers) Validate(region string) error {
	var faults fault.Faults
	var ways []string
	for way, n := range map[string]int{"arns": len(l.ARNs), "names": len(l.Names), "tags": len(l.Tags)} {
		if n > 0 {
			ways = append(ways, way)
		}
	}
	slices.Sort(ways)
	switch {
	case len(ways) == 0:
		faults.Add("", nil, "is empty", "use arns, names, or tags")
	case len(ways) > 1:
		faults.Add("", strings.Join(ways, ", "), "are mutually exclusive", "use one of them")
	}
	for i, given := range l.ARNs {
		arn, plain := input.Plain(given)
		if !plain {
			continue
		}
		match := loadBalancerARNPattern.FindStringSubmatch(arn)
		path := fmt.Sprintf("arns[%d]", i)
		switch {
		case match == nil:
			faults.Add(path, arn, "is not the ARN of a load balancer", "use one such as arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/router/0123456789abcdef")
		case match[2] != "net":
			faults.Add(path, arn, "is not a network load balancer", "use one whose ARN contains loadbalancer/net/")
		case region != "" && match[1] != region:
			faults.Add(path, arn, "is in another region than "+region, "use one of "+region)
		}
	}
	for i, given := range l.Names {
		if name, plain := input.Plain(given); plain && !loadBalancerNamePattern.MatchString(name) {
			faults.Add(fmt.Sprintf("names[%d]", i), name, "is not the name of a load balancer",
				"use at most 32 letters, digits, and hyphens, and begin and end with a letter or digit")
		}
	}
	return faults.Err()
}

// Balancer is an existing network load balancer.
type Balancer struct {
	// ARN is the load balancer's ARN.
	ARN string
	// ZoneIDs are the zones in which it has a subnet.
	ZoneIDs []string
}

// find looks up the load balancers as soon as all ARNs and names are known, and returns their ARNs. It fails with the
// faults of Validate and Find.
func (l LoadBalancers) find(
	ctx *pulumi.Context,
	region string,
	opts ...pulumi.InvokeOption,
) (pulumi.StringArrayInput, error) {
	inputs := slices.Concat(l.ARNs, l.Names)
	find := func(texts []string) ([]string, error) {
		known := l
		known.ARNs, known.Names = input.Strings(texts[:len(l.ARNs)]...), input.Strings(texts[len(l.ARNs):]...)
		err := known.Validate(region)
		var balancers []Balancer
		if err == nil {
			balancers, err = known.Find(ctx, opts...)
		}
		if fault.In(err) == nil && err != nil {
			return nil, err
		}
		var faults fault.Faults
		faults.Join("loadBalancers", err)
		var arns []string
		for _, balancer := range balancers {
			arns = append(arns, balancer.ARN)
		}
		return arns, faults.Err()
	}
	if l.ArePlain() {
		arns, err := find(input.Texts(inputs))
		return pulumi.ToStringArray(arns), err
	}
	return input.All(inputs).ApplyT(find).(pulumi.StringArrayOutput), nil
}

// Find looks up the load balancers in the account of the options' provider. ARNs and names have to be plain. It returns
// a fault for each one that does not exist or is not a network load balancer.
func (l LoadBalancers) Find(ctx *pulumi.Context, opts ...pulumi.InvokeOption) ([]Balancer, error) {
	type wanted struct {
		path, value string
		args        lb.LookupLoadBalancerArgs
	}
	var all []wanted
	for i, arn := range input.Texts(l.ARNs) {
		all = append(all, wanted{fmt.Sprintf("arns[%d]", i), arn, lb.LookupLoadBalancerArgs{Arn: &arn}})
	}
	for i, name := range input.Texts(l.Names) {
		all = append(all, wanted{fmt.Sprintf("names[%d]", i), name, lb.LookupLoadBalancerArgs{Name: &name}})
	}
	if len(l.Tags) > 0 {
		tagged, err := lb.GetLbs(ctx, &lb.GetLbsArgs{Tags: l.Tags}, opts...)
		if err != nil {
			return nil, awsprovider.Failed("load balancers by their tags", err)
		}
		for _, arn := range tagged.Arns {
			all = append(all, wanted{"tags", arn, lb.LookupLoadBalancerArgs{Arn: &arn}})
		}
	}
	var faults fault.Faults
	if len(all) == 0 {
		faults.Add("tags", nil, "match no load balancer in the management account", "correct them, or use arns")
	}
	var found []Balancer
	for _, w := range all {
		balancer, err := lb.LookupLoadBalancer(ctx, &w.args, opts...)
		switch {
		case err != nil && awsprovider.IsMissing(err):
			faults.Add(w.path, w.value, "is not a load balancer of the management account",
				"correct it, or set accounts.management to the account that has it")
		case err != nil:
			return nil, awsprovider.Failed("load balancer "+w.value, err)
		case balancer.LoadBalancerType != "network":
			faults.Add(w.path, w.value, "is a load balancer of type "+balancer.LoadBalancerType,
				"use a network load balancer: an endpoint service requires one")
		default:
			zones, err := zonesOfSubnets(ctx, balancer.Subnets, opts...)
			if err != nil {
				return nil, err
			}
			found = append(found, Balancer{ARN: balancer.Arn, ZoneIDs: zones})
		}
	}
	return found, faults.Err()
}

// zonesOfSubnets returns the IDs of the subnets' zones, sorted and without duplicates.
func zonesOfSubnets(ctx *pulumi.Context, subnets []string, opts ...pulumi.InvokeOption) ([]string, error) {
	var ids []string
	for _, id := range subnets {
		subnet, err := ec2.LookupSubnet(ctx, &ec2.LookupSubnetArgs{Id: &id}, opts...)
		if err != nil {
			return nil, awsprovider.Failed("the zone of subnet "+id, err)
		}
		ids = append(ids, subnet.AvailabilityZoneId)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
