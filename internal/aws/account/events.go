package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	logstypes "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// eventListers list log groups, queues and event rules, which are found by their names.
func eventListers() map[string]lister {
	return map[string]lister{
		awstype.LogGroup: orLost(lister{dated: true, list: func(
			ctx context.Context,
			c *clients,
			q Query,
		) (found []inventory.Resource, err error) {
			for _, name := range namesOf(q, "name") { // AWS matches the beginning of names
				some, err := each(ctx, c.logs.DescribeLogGroups, &cloudwatchlogs.DescribeLogGroupsInput{LogGroupNamePrefix: &name},
					func(p *cloudwatchlogs.DescribeLogGroupsOutput) []logstypes.LogGroup { return p.LogGroups },
					func(g logstypes.LogGroup) inventory.Resource {
						if aws.ToString(g.LogGroupName) != name {
							return inventory.Resource{}
						}
						r := named(name, map[string]any{"name": name, "retentionInDays": g.RetentionInDays})
						r.Created = time.UnixMilli(aws.ToInt64(g.CreationTime))
						return r
					})
				if err != nil {
					return nil, err
				}
				found = append(found, some...)
			}
			return found, nil
		}}),
		awstype.Queue: orLost(lister{
			dated: true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				out, err := c.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(q.Text("name"))})
				var missing *sqstypes.QueueDoesNotExist
				if errors.As(err, &missing) {
					return nil, nil
				}
				if err != nil {
					return nil, err
				}
				return []inventory.Resource{named(aws.ToString(out.QueueUrl), map[string]any{
					"name": q.Text("name"),
					"url":  out.QueueUrl,
				})}, nil
			},
			created: func(ctx context.Context, c *clients, id string) (*time.Time, error) {
				text, err := queueAttribute(ctx, c, id, sqstypes.QueueAttributeNameCreatedTimestamp)
				if err != nil {
					return nil, err
				}
				seconds, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					return nil, fmt.Errorf("reading when the queue was created: %w", err)
				}
				at := time.Unix(seconds, 0)
				return &at, nil
			},
		}),
		awstype.QueuePolicy: {list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
			url := q.Text("queueUrl")
			policy, err := queueAttribute(ctx, c, url, sqstypes.QueueAttributeNamePolicy)
			if err != nil || policy == "" {
				return nil, err
			}
			return []inventory.Resource{named(url, map[string]any{"queueUrl": url})}, nil
		}},
		awstype.EventRule: orLost(lister{list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
			rule, err := c.events.DescribeRule(ctx, &eventbridge.DescribeRuleInput{Name: aws.String(q.Text("name"))})
			if err != nil {
				return nil, err
			}
			r := named(aws.ToString(rule.Name), map[string]any{"name": rule.Name})
			r.ARN = aws.ToString(rule.Arn)
			return []inventory.Resource{r}, nil
		}}),
		awstype.EventTarget: {list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
			rule := q.Text("rule")
			return each(ctx, c.events.ListTargetsByRule, &eventbridge.ListTargetsByRuleInput{Rule: &rule},
				func(p *eventbridge.ListTargetsByRuleOutput) []eventtypes.Target { return p.Targets },
				func(t eventtypes.Target) inventory.Resource {
					return named(rule+"/"+aws.ToString(t.Id), map[string]any{"rule": rule, "targetId": t.Id, "arn": t.Arn})
				})
		}},
	}
}

func queueAttribute(ctx context.Context, c *clients, url string, name sqstypes.QueueAttributeName) (string, error) {
	out, err := c.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl:       &url,
		AttributeNames: []sqstypes.QueueAttributeName{name},
	})
	if err != nil {
		return "", err
	}
	return out.Attributes[string(name)], nil
}
