package orphan

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// namedListers list types whose instances are found by their names, with or without tags.
func namedListers() map[string]lister {
	return map[string]lister{
		awstype.LogGroup: func(ctx context.Context, a *listedAccount, _ *clients, q Query) (found []Resource, err error) {
			cfg, err := a.load(ctx)
			if err != nil {
				return nil, err
			}
			client := cloudwatchlogs.NewFromConfig(cfg, func(o *cloudwatchlogs.Options) {
				a.endpoint(&o.BaseEndpoint, "cloudwatchlogs", "cloudwatchlog", "logs")
			})
			// AWS matches the beginning of names.
			list := cloudwatchlogs.NewDescribeLogGroupsPaginator(awsrequest.DescribeLogGroups(client.DescribeLogGroups),
				&cloudwatchlogs.DescribeLogGroupsInput{LogGroupNamePrefix: aws.String(q.Text("name"))})
			return found, eachPage(ctx, list, func(page *cloudwatchlogs.DescribeLogGroupsOutput) {
				for _, g := range page.LogGroups {
					if aws.ToString(g.LogGroupName) == q.Text("name") {
						found = append(found, resource(Leftover{Found: Found{ID: aws.ToString(g.LogGroupName)}}, map[string]any{
							"name": g.LogGroupName, "retentionInDays": g.RetentionInDays}))
					}
				}
			})
		},
		awstype.Queue: func(ctx context.Context, a *listedAccount, _ *clients, q Query) ([]Resource, error) {
			client, err := a.queues(ctx)
			if err != nil {
				return nil, err
			}
			out, err := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(q.Text("name"))})
			var missing *sqstypes.QueueDoesNotExist
			if errors.As(err, &missing) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return []Resource{resource(Leftover{Found: Found{ID: aws.ToString(out.QueueUrl)}}, map[string]any{"name": q.Text("name"), "url": out.QueueUrl})}, nil
		},
		awstype.QueuePolicy: func(ctx context.Context, a *listedAccount, _ *clients, q Query) ([]Resource, error) {
			client, err := a.queues(ctx)
			if err != nil {
				return nil, err
			}
			url := q.Text("queueUrl")
			out, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNamePolicy}})
			if err != nil || out.Attributes[string(sqstypes.QueueAttributeNamePolicy)] == "" {
				return nil, err
			}
			return []Resource{resource(Leftover{Found: Found{ID: url}}, map[string]any{"queueUrl": url})}, nil
		},
		awstype.EventRule: func(ctx context.Context, a *listedAccount, _ *clients, q Query) ([]Resource, error) {
			client, err := a.events(ctx)
			if err != nil {
				return nil, err
			}
			rule, err := client.DescribeRule(ctx, &eventbridge.DescribeRuleInput{Name: aws.String(q.Text("name"))})
			if err != nil {
				return nil, err
			}
			return []Resource{resource(Leftover{Found: Found{ID: aws.ToString(rule.Name), ARN: aws.ToString(rule.Arn)}}, map[string]any{"name": rule.Name})}, nil
		},
		awstype.EventTarget: func(ctx context.Context, a *listedAccount, _ *clients, q Query) (found []Resource, err error) {
			client, err := a.events(ctx)
			if err != nil {
				return nil, err
			}
			rule, request := q.Text("rule"), &eventbridge.ListTargetsByRuleInput{Rule: aws.String(q.Text("rule"))}
			for {
				out, err := client.ListTargetsByRule(ctx, request)
				if err != nil {
					return nil, err
				}
				for _, target := range out.Targets {
					found = append(found, resource(Leftover{Found: Found{ID: rule + "/" + aws.ToString(target.Id)}}, map[string]any{
						"rule": rule, "targetId": target.Id, "arn": target.Arn}))
				}
				if aws.ToString(out.NextToken) == "" {
					return found, nil
				}
				request.NextToken = out.NextToken
			}
		},
		awstype.KeyPair: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			out, err := c.ec2.DescribeKeyPairs(ctx, &ec2.DescribeKeyPairsInput{KeyNames: []string{q.Text("keyName")}, IncludePublicKey: aws.Bool(true)})
			if err != nil {
				return nil, err
			}
			for _, pair := range out.KeyPairs {
				found = append(found, resource(ec2One(pair.KeyName, pair.Tags), map[string]any{
					"keyName": pair.KeyName, "publicKey": pair.PublicKey, "keyPairId": pair.KeyPairId, "fingerprint": pair.KeyFingerprint,
					"keyType": string(pair.KeyType), "arn": arn.ARN{
						Partition: c.place.Partition, Service: "ec2", Region: c.place.Region, AccountID: c.place.Account,
						Resource: "key-pair/" + aws.ToString(pair.KeyName),
					}.String(),
				}))
			}
			return found, nil
		},
	}
}

func (a *listedAccount) queues(ctx context.Context) (*sqs.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return sqs.NewFromConfig(cfg, func(o *sqs.Options) { a.settings.SetEndpoint("sqs", &o.BaseEndpoint) }), nil
}

func (a *listedAccount) events(ctx context.Context) (*eventbridge.Client, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	return eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) {
		a.endpoint(&o.BaseEndpoint, "eventbridge", "cloudwatchevents", "events")
	}), nil
}

// endpoint sets the address of a service for which the provider's settings have several names.
func (a *listedAccount) endpoint(base **string, names ...string) {
	for _, name := range names {
		a.settings.SetEndpoint(name, base)
	}
}
