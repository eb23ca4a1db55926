package account

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
)

// readAll returns the inputs with which all pages of a list are requested, of which responses are given.
func readAll[Input, Output any](t *testing.T, responses ...*Output) (inputs []Input) {
	t.Helper()
	list := NewPages(func(_ context.Context, in *Input, _ ...func(*struct{})) (*Output, error) {
		require.Less(t, len(inputs), len(responses), "a page is requested after the last one")
		inputs = append(inputs, *in)
		return responses[len(inputs)-1], nil
	}, new(Input))
	require.NoError(t, eachPage(t.Context(), list, func(*Output) {}))
	require.Len(t, inputs, len(responses))
	return inputs
}

func TestEachWayOfAWSToNameTheNextPageIsFollowed(t *testing.T) {
	t.Parallel()
	name := aws.String("next")
	require.Equal(t, name, readAll[ec2.DescribeVpcsInput](t, &ec2.DescribeVpcsOutput{NextToken: name},
		&ec2.DescribeVpcsOutput{})[1].NextToken)
	require.Equal(t, name, readAll[elbv2.DescribeLoadBalancersInput](t,
		&elbv2.DescribeLoadBalancersOutput{NextMarker: name}, &elbv2.DescribeLoadBalancersOutput{})[1].Marker)
	require.Equal(t, name, readAll[iam.ListRolesInput](t, &iam.ListRolesOutput{
		IsTruncated: true,
		Marker:      name,
	}, &iam.ListRolesOutput{Marker: name})[1].Marker)
	require.Equal(t, name, readAll[kms.ListAliasesInput](t, &kms.ListAliasesOutput{
		Truncated:  true,
		NextMarker: name,
	}, &kms.ListAliasesOutput{})[1].Marker)
	require.Equal(t, name, readAll[tagging.GetResourcesInput](t,
		&tagging.GetResourcesOutput{PaginationToken: name},
		&tagging.GetResourcesOutput{PaginationToken: aws.String("")})[1].PaginationToken)
	require.Equal(t, name, readAll[s3.ListBucketsInput](t, &s3.ListBucketsOutput{ContinuationToken: name},
		&s3.ListBucketsOutput{})[1].ContinuationToken)
	versions := readAll[s3.ListObjectVersionsInput](t, &s3.ListObjectVersionsOutput{
		IsTruncated:         aws.Bool(true),
		NextKeyMarker:       name,
		NextVersionIdMarker: name,
	},
		&s3.ListObjectVersionsOutput{IsTruncated: aws.Bool(false), NextKeyMarker: name})[1]
	require.Equal(t, []*string{name, name}, []*string{versions.KeyMarker, versions.VersionIdMarker})
	// Route 53 returns the request's marker too.
	require.Equal(t, name, readAll[route53.ListHostedZonesInput](t,
		&route53.ListHostedZonesOutput{IsTruncated: true, Marker: aws.String("first"), NextMarker: name},
		&route53.ListHostedZonesOutput{Marker: name})[1].Marker)
	records := readAll[route53.ListResourceRecordSetsInput](t,
		&route53.ListResourceRecordSetsOutput{
			IsTruncated:          true,
			NextRecordName:       name,
			NextRecordType:       route53types.RRTypeA,
			NextRecordIdentifier: name,
		},
		&route53.ListResourceRecordSetsOutput{})[1]
	require.Equal(t, []any{name, route53types.RRTypeA, name},
		[]any{records.StartRecordName, records.StartRecordType, records.StartRecordIdentifier})
}

func TestNoClientIsConvertedToAnInterface(t *testing.T) {
	t.Parallel()
	require.NoError(t, filepath.WalkDir(filepath.Join("..", ".."), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NotRegexp(t, `\bNew\w+Paginator\(`, string(text), "%s: the SDK's paginators take the whole client", path)
		// The types of the fields of a struct that is converted to an interface are kept like the struct.
		require.NotRegexp(t, `(?m)^\t\w+ +\*clients$`, string(text), path)
		return err
	}))
}
