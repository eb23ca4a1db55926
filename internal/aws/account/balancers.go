package account

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbv2types "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// taggedAtOnce is how many load balancers or target groups one request for tags can name.
const taggedAtOnce = 20

// balancerListers list load balancers. AWS's lists have no tags: they are read of complete lists, and of those for
// inputs.
func balancerListers() map[string]lister {
	return map[string]lister{
		awstype.LoadBalancer: {
			brief: true,
			dated: true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				found, err := each(ctx, c.elbv2.DescribeLoadBalancers, &elbv2.DescribeLoadBalancersInput{LoadBalancerArns: q.IDs},
					func(p *elbv2.DescribeLoadBalancersOutput) []elbv2types.LoadBalancer { return p.LoadBalancers },
					func(b elbv2types.LoadBalancer) inventory.Resource {
						arn := aws.ToString(b.LoadBalancerArn)
						r := named(arn, map[string]any{"name": balancerName(arn), "vpcId": b.VpcId, "loadBalancerType": string(b.Type),
							"internal": b.Scheme == elbv2types.LoadBalancerSchemeEnumInternal,
							"subnets":  make([]any, len(b.AvailabilityZones))})
						r.ARN, r.Created, r.Hosts = arn, aws.ToTime(b.CreatedTime), hosts(b.DNSName)
						return r
					})
				return tagBalancers(ctx, c, q, found, err)
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.elbv2.DeleteLoadBalancer, &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: &r.ID})
			},
		},
		awstype.TargetGroup: {
			brief: true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				found, err := each(ctx, c.elbv2.DescribeTargetGroups, &elbv2.DescribeTargetGroupsInput{TargetGroupArns: q.IDs},
					func(p *elbv2.DescribeTargetGroupsOutput) []elbv2types.TargetGroup { return p.TargetGroups },
					func(g elbv2types.TargetGroup) inventory.Resource {
						arn := aws.ToString(g.TargetGroupArn)
						r := named(arn, map[string]any{"name": balancerName(arn), "vpcId": g.VpcId})
						r.ARN, r.UsedBy = arn, g.LoadBalancerArns
						return r
					})
				return tagBalancers(ctx, c, q, found, err)
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.elbv2.DeleteTargetGroup, &elbv2.DeleteTargetGroupInput{TargetGroupArn: &r.ID})
			},
		},
		awstype.ClassicLoadBalancer: {
			brief: true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				found, err := each(ctx, c.elb.DescribeLoadBalancers, &elb.DescribeLoadBalancersInput{LoadBalancerNames: q.IDs},
					func(p *elb.DescribeLoadBalancersOutput) []elbtypes.LoadBalancerDescription {
						return p.LoadBalancerDescriptions
					},
					func(b elbtypes.LoadBalancerDescription) inventory.Resource {
						r := named(aws.ToString(b.LoadBalancerName), map[string]any{"vpcId": b.VPCId})
						r.Created, r.Hosts = aws.ToTime(b.CreatedTime), hosts(b.DNSName)
						return r
					})
				if err != nil || !q.Complete {
					return found, err
				}
				return tagInBatches(found, taggedAtOnce, func(some []inventory.Resource) error {
					out, err := c.elb.DescribeTags(ctx, &elb.DescribeTagsInput{LoadBalancerNames: IDs(some)})
					if err != nil {
						return err
					}
					for _, d := range out.TagDescriptions {
						setTags(some, aws.ToString(d.LoadBalancerName), tagsOf(d.Tags, func(t elbtypes.Tag) (*string, *string) {
							return t.Key, t.Value
						}))
					}
					return nil
				})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.elb.DeleteLoadBalancer, &elb.DeleteLoadBalancerInput{LoadBalancerName: &r.ID})
			},
		},
	}
}

// tagBalancers adds the tags of load balancers or target groups.
func tagBalancers(
	ctx context.Context,
	c *clients,
	q Query,
	found []inventory.Resource,
	err error,
) ([]inventory.Resource, error) {
	if err != nil || !q.Complete && len(q.Inputs) == 0 {
		return found, err
	}
	return tagInBatches(found, taggedAtOnce, func(some []inventory.Resource) error {
		out, err := c.elbv2.DescribeTags(ctx, &elbv2.DescribeTagsInput{ResourceArns: IDs(some)})
		if err != nil {
			return err
		}
		for _, d := range out.TagDescriptions {
			setTags(some, aws.ToString(d.ResourceArn), tagsOf(d.Tags, func(t elbv2types.Tag) (*string, *string) {
				return t.Key, t.Value
			}))
		}
		return nil
	})
}

func setTags(some []inventory.Resource, id string, tags map[string]string) {
	for i := range some {
		if some[i].ID == id {
			some[i].Tags = tags
		}
	}
}

// balancerName returns the name in the ARN of a load balancer, ".../net/NAME/ID", or of a target group, ".../NAME/ID".
func balancerName(arn string) string {
	parts := strings.Split(arn, "/")
	if len(parts) < 3 {
		return ""
	}
	return parts[len(parts)-2]
}

// Attached implements Account. If the resource has disappeared since it was listed, nothing is attached to it.
func (a *realAccount) Attached(ctx context.Context, r inventory.Resource) ([]string, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	var attached []string
	switch r.Type {
	case awstype.TargetGroup:
		var targets []Target
		targets, err = targetsOf(ctx, c, r.ID)
		for _, t := range targets {
			attached = append(attached, t.ID)
		}
	case awstype.ClassicLoadBalancer:
		attached, err = instancesBehind(ctx, c, r.ID)
	case awstype.VPCEndpointService:
		attached, err = connectionsOf(ctx, c, r.ID)
	}
	if gone(err) {
		return nil, nil
	}
	return attached, err
}

// Targets implements Account. A target group that has disappeared since it was listed has none.
func (a *realAccount) Targets(ctx context.Context, r inventory.Resource) ([]Target, error) {
	c, err := a.clients(ctx)
	if err != nil || r.Type != awstype.TargetGroup {
		return nil, err
	}
	targets, err := targetsOf(ctx, c, r.ID)
	if gone(err) {
		return nil, nil
	}
	return targets, err
}

// targetsOf returns the registered targets of a target group. AWS still lists targets that are being deregistered.
func targetsOf(ctx context.Context, c *clients, arn string) ([]Target, error) {
	out, err := c.elbv2.DescribeTargetHealth(ctx, &elbv2.DescribeTargetHealthInput{TargetGroupArn: &arn})
	if err != nil {
		return nil, explained("targets of target group "+arn, err)
	}
	var targets []Target
	for _, d := range out.TargetHealthDescriptions {
		if d.Target == nil || d.TargetHealth != nil && d.TargetHealth.State == elbv2types.TargetHealthStateEnumDraining {
			continue
		}
		target := Target{ID: aws.ToString(d.Target.Id)}
		if h := d.TargetHealth; h != nil {
			target.Health, target.Why = string(h.State), cmp.Or(aws.ToString(h.Description), string(h.Reason))
		}
		targets = append(targets, target)
	}
	return targets, nil
}

func instancesBehind(ctx context.Context, c *clients, name string) ([]string, error) {
	out, err := c.elb.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{name}})
	if err != nil {
		return nil, explained("instances behind classic load balancer "+name, err)
	}
	var instances []string
	for _, b := range out.LoadBalancerDescriptions {
		for _, i := range b.Instances {
			instances = append(instances, aws.ToString(i.InstanceId))
		}
	}
	return instances, nil
}

// explained wraps an error with what was being listed.
func explained(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("listing %s: %w", what, err)
}
