package main

import (
	"context"
	"errors"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/hashicorp/terraform-provider-aws/xpprovider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// withRecords answers the lookup of a zone's records, which Terraform's provider has only since 5.82. It calls the API
// as the provider's own lookups do, with its settings, and returns of each record its name, type, TTL and values.
type withRecords struct {
	pulumirpc.ResourceProviderServer
	// meta returns what Terraform's provider has configured.
	meta func() any
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
	configured, is := s.meta().(*xpprovider.AWSClient)
	if !is {
		return nil, errors.New("the provider isn't configured")
	}
	var sets []any
	for pages := route53.NewListResourceRecordSetsPaginator(configured.Route53Client(ctx),
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
