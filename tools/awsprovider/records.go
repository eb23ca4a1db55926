package main

import (
	"context"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// withRecords answers the lookup of a zone's records, which Terraform's provider has only since 5.82. It calls the API
// with the settings of the environment, such as AWS_ENDPOINT_URL, in the region us-east-1, and returns of each record
// its name, type, TTL and values.
type withRecords struct {
	pulumirpc.ResourceProviderServer
}

// Invoke implements pulumirpc.ResourceProviderServer.
func (s withRecords) Invoke(ctx context.Context, request *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	if request.Tok != "aws:route53/getRecords:getRecords" {
		return s.ResourceProviderServer.Invoke(ctx, request)
	}
	options := plugin.MarshalOptions{KeepUnknowns: true}
	args, err := plugin.UnmarshalProperties(request.Args, options)
	if err != nil {
		return nil, err
	}
	zone, name := args["zoneId"].StringValue(), regexp.MustCompile("")
	if pattern := args["nameRegex"]; pattern.IsString() {
		if name, err = regexp.Compile(pattern.StringValue()); err != nil {
			return nil, err
		}
	}
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion("us-east-1"))
	if err != nil {
		return nil, err
	}
	var sets []any
	for pages := route53.NewListResourceRecordSetsPaginator(route53.NewFromConfig(cfg),
		&route53.ListResourceRecordSetsInput{HostedZoneId: &zone}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, set := range page.ResourceRecordSets {
			if !name.MatchString(aws.ToString(set.Name)) {
				continue
			}
			values := []any{}
			for _, record := range set.ResourceRecords {
				values = append(values, map[string]any{"value": aws.ToString(record.Value)})
			}
			sets = append(sets, map[string]any{
				"name":            aws.ToString(set.Name),
				"type":            string(set.Type),
				"ttl":             aws.ToInt64(set.TTL),
				"resourceRecords": values,
			})
		}
	}
	result := resource.NewPropertyMapFromMap(map[string]any{"id": zone, "zoneId": zone, "resourceRecordSets": sets})
	reply, err := plugin.MarshalProperties(result, options)
	return &pulumirpc.InvokeResponse{Return: reply}, err
}
