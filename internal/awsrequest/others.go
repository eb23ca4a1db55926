package awsrequest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// DescribeLogGroups is the request of this name as a paginator's client.
type DescribeLogGroups request[cloudwatchlogs.DescribeLogGroupsInput, cloudwatchlogs.Options, cloudwatchlogs.DescribeLogGroupsOutput]

// DescribeLogGroups sends the request.
func (r DescribeLogGroups) DescribeLogGroups(
	ctx context.Context, in *cloudwatchlogs.DescribeLogGroupsInput, options ...func(*cloudwatchlogs.Options),
) (*cloudwatchlogs.DescribeLogGroupsOutput, error) {
	return r(ctx, in, options...)
}

// GetResources is the request of this name as a paginator's client.
type GetResources request[tagging.GetResourcesInput, tagging.Options, tagging.GetResourcesOutput]

// GetResources sends the request.
func (r GetResources) GetResources(ctx context.Context, in *tagging.GetResourcesInput, options ...func(*tagging.Options)) (*tagging.GetResourcesOutput, error) {
	return r(ctx, in, options...)
}

// ListAliases is the request of this name as a paginator's client.
type ListAliases request[kms.ListAliasesInput, kms.Options, kms.ListAliasesOutput]

// ListAliases sends the request.
func (r ListAliases) ListAliases(ctx context.Context, in *kms.ListAliasesInput, options ...func(*kms.Options)) (*kms.ListAliasesOutput, error) {
	return r(ctx, in, options...)
}

// ListBuckets is the request of this name as a paginator's client.
type ListBuckets request[s3.ListBucketsInput, s3.Options, s3.ListBucketsOutput]

// ListBuckets sends the request.
func (r ListBuckets) ListBuckets(ctx context.Context, in *s3.ListBucketsInput, options ...func(*s3.Options)) (*s3.ListBucketsOutput, error) {
	return r(ctx, in, options...)
}

// ListHostedZones is the request of this name as a paginator's client.
type ListHostedZones request[route53.ListHostedZonesInput, route53.Options, route53.ListHostedZonesOutput]

// ListHostedZones sends the request.
func (r ListHostedZones) ListHostedZones(ctx context.Context, in *route53.ListHostedZonesInput, options ...func(*route53.Options)) (*route53.ListHostedZonesOutput, error) {
	return r(ctx, in, options...)
}

// ListObjectVersions is the request of this name as a paginator's client.
type ListObjectVersions request[s3.ListObjectVersionsInput, s3.Options, s3.ListObjectVersionsOutput]

// ListObjectVersions sends the request.
func (r ListObjectVersions) ListObjectVersions(ctx context.Context, in *s3.ListObjectVersionsInput, options ...func(*s3.Options)) (*s3.ListObjectVersionsOutput, error) {
	return r(ctx, in, options...)
}

// ListResourceRecordSets is the request of this name as a paginator's client.
type ListResourceRecordSets request[route53.ListResourceRecordSetsInput, route53.Options, route53.ListResourceRecordSetsOutput]

// ListResourceRecordSets sends the request.
func (r ListResourceRecordSets) ListResourceRecordSets(ctx context.Context, in *route53.ListResourceRecordSetsInput, options ...func(*route53.Options)) (*route53.ListResourceRecordSetsOutput, error) {
	return r(ctx, in, options...)
}
