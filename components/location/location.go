// Package location looks up the partition, account and region of an AWS provider. Components use them for the ARNs of
// resources that exist already; give a component a Location to save its own lookup. An error names the lookup that
// failed.
package location

import (
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// Location is the partition, account and region of a provider.
type Location struct {
	// Partition is "aws", "aws-us-gov" or "aws-cn"; DNSSuffix is the domain of its services.
	Partition, DNSSuffix string
	// Account is the account's ID, 12 digits.
	Account string
	// Region is the region's name, such as "us-east-1".
	Region string
}

// ARN names a resource of the account in the region, such as service "ec2" and resource "vpc/vpc-…".
func (l Location) ARN(service, resource string) string {
	return arn.ARN{
		Partition: l.Partition,
		Service:   service,
		Region:    l.Region,
		AccountID: l.Account,
		Resource:  resource,
	}.String()
}

// GlobalARN names a resource of the account that is in no region, as IAM's are.
func (l Location) GlobalARN(service, resource string) string {
	return arn.ARN{Partition: l.Partition, Service: service, AccountID: l.Account, Resource: resource}.String()
}

// PartitionARN names a resource whose ARN has neither region nor account, such as S3 buckets and Route 53 hosted zones.
func (l Location) PartitionARN(service, resource string) string {
	return arn.ARN{Partition: l.Partition, Service: service, Resource: resource}.String()
}

// In returns the location in another account: "aws" for AWS itself, "" for none, "*" for any.
func (l Location) In(account string) Location {
	l.Account = account
	return l
}

// Lookup looks up all fields of a location, with the provider in the options.
func Lookup(ctx *pulumi.Context, opts ...pulumi.InvokeOption) (Location, error) {
	l, err := LookupPartition(ctx, opts...)
	if err != nil {
		return Location{}, err
	}
	if l.Account, err = LookupAccount(ctx, opts...); err != nil {
		return Location{}, err
	}
	l.Region, err = LookupRegion(ctx, opts...)
	return l, err
}

// LookupPartition looks up only Partition and DNSSuffix.
func LookupPartition(ctx *pulumi.Context, opts ...pulumi.InvokeOption) (Location, error) {
	partition, err := aws.GetPartition(ctx, &aws.GetPartitionArgs{}, opts...)
	if err != nil {
		return Location{}, awsprovider.Failed("the AWS provider's partition", err)
	}
	if partition.Partition == "" {
		return Location{}, awsprovider.Unanswered("aws:index/getPartition:getPartition", "partition")
	}
	return Location{Partition: partition.Partition, DNSSuffix: partition.DnsSuffix}, nil
}

// LookupAccount looks up only the account, which requires a call to AWS.
func LookupAccount(ctx *pulumi.Context, opts ...pulumi.InvokeOption) (string, error) {
	identity, err := aws.GetCallerIdentity(ctx, &aws.GetCallerIdentityArgs{}, opts...)
	if err != nil {
		return "", awsprovider.Failed("the account of the AWS credentials", err)
	}
	if identity.AccountId == "" {
		return "", awsprovider.Unanswered("aws:index/getCallerIdentity:getCallerIdentity", "accountId")
	}
	return identity.AccountId, nil
}

// LookupRegion looks up only the region.
func LookupRegion(ctx *pulumi.Context, opts ...pulumi.InvokeOption) (string, error) {
	region, err := aws.GetRegion(ctx, &aws.GetRegionArgs{}, opts...)
	if err != nil {
		return "", awsprovider.Failed("the AWS provider's region", err)
	}
	if region.Name == "" {
		return "", awsprovider.Unanswered("aws:index/getRegion:getRegion", "name")
	}
	return region.Name, nil
}
