package awstype_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestEveryRecordIsComplete(t *testing.T) {
	t.Parallel()
	for _, info := range awstype.All() {
		require.NotEmpty(t, info.Label, info.Token)
		require.NotEmpty(t, info.Price, info.Token)
		require.NotEmpty(t, info.Permissions.Grants(), info.Token)
		require.True(t, info.Deletion.Rank > 0 || info.Deletion.Wait == 0, "%s: a wait without a deletion", info.Token)
		find := info.Find
		ways := 0
		for _, given := range []bool{len(find.ImportID) > 0, find.Tags.Listed() ||
			len(find.Attributes) > 0, find.Replaceable, find.Remedy != ""} {
			if given {
				ways++
			}
		}
		require.Equal(t, 1, ways, "%s: the ways in which it is found", info.Token)
		require.False(t, find.Tags.Listed() && find.Tags.ARN == "", "%s: tags without the ARN", info.Token)
	}
}

// The offline account has the tokens again: it must not depend on what it judges.
func TestEveryTokenIsDeclaredOnce(t *testing.T) {
	t.Parallel()
	root, comments := os.DirFS(filepath.Join("..", "..", "..")), regexp.MustCompile(`//.*`)
	var tokens []string
	for _, info := range slices.Concat(awstype.All(), awstype.Sweeps()) {
		tokens = append(tokens, info.Token)
	}
	for _, folder := range []string{"cmd", "internal", "plugin", "stacks"} {
		require.NoError(t, fs.WalkDir(root, folder, func(name string, entry fs.DirEntry, err error) error {
			if name == "internal/offline" || name == "internal/aws/awstype" {
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(root, name)
			code := comments.ReplaceAllString(string(text), "")
			for _, token := range tokens {
				require.False(t, strings.Contains(code, `"`+token+`"`), "%s has the token %s: use the constant of package awstype", name, token)
			}
			return err
		}))
	}
}

func TestDeletionRanksDeleteDependentsFirst(t *testing.T) {
	t.Parallel()
	rank := func(token string) int {
		info, known := awstype.Lookup(token)
		require.True(t, known, token)
		require.NotEqual(t, awstype.WithOwner, info.Deletion.Rank, token)
		return info.Deletion.Rank
	}
	for _, order := range [][]string{
		{awstype.Instance, awstype.SecurityGroup, awstype.VPC},
		{awstype.LoadBalancer, awstype.SecurityGroup, awstype.Subnet, awstype.VPC, awstype.DHCPOptions},
		{awstype.VPCEndpointService, awstype.LoadBalancer},
		{awstype.VPCEndpoint, awstype.SecurityGroup},
		{awstype.NATGateway, awstype.ElasticIP, awstype.InternetGateway, awstype.VPC},
		{awstype.NATGateway, awstype.RouteTable, awstype.Subnet},
		{awstype.EgressOnlyGateway, awstype.VPC},
		{awstype.HostedZone, awstype.VPC},
		{awstype.RolePolicy, awstype.Role},
		{"aws:iam/instanceProfile:InstanceProfile", awstype.Role, "aws:iam/policy:Policy"},
		{"aws:iam/accessKey:AccessKey", awstype.User},
		{"aws:cloudwatch/eventTarget:EventTarget", "aws:cloudwatch/eventRule:EventRule"},
		{"aws:cloudfront/distribution:Distribution", "aws:cloudfront/originAccessControl:OriginAccessControl"},
		{"aws:ec2/flowLog:FlowLog", awstype.VPC},
	} {
		require.True(t, slices.IsSortedFunc(order, func(a, b string) int { return rank(a) - rank(b) }), "%v", order)
	}
}

func TestATypeIsFoundInAnARNAndHasTheSameARNForItsID(t *testing.T) {
	t.Parallel()
	for arn, want := range map[string][2]string{
		"arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1":           {awstype.VPC, "vpc-1"},
		"arn:aws:ec2:us-east-1:123456789012:natgateway/nat-1":    {awstype.NATGateway, "nat-1"},
		"arn:aws:route53:::hostedzone/Z1":                        {awstype.HostedZone, "Z1"},
		"arn:aws:kms:us-east-1:123456789012:key/k1":              {"aws:kms/key:Key", "k1"},
		"arn:aws:cloudfront::123456789012:distribution/E1":       {"aws:cloudfront/distribution:Distribution", "E1"},
		"arn:aws-cn:ec2:cn-north-1:123456789012:subnet/subnet-1": {awstype.Subnet, "subnet-1"},
		"arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/a/b": {awstype.LoadBalancer,
			"arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/a/b"},
	} {
		var found [][2]string
		for _, info := range awstype.All() {
			if id, ok := info.Find.Tags.ID(arn); ok {
				found = append(found, [2]string{info.Token, id})
				fields := strings.SplitN(arn, ":", 6)
				require.Equal(t, arn, info.Find.Tags.ResourceARN(id, fields[1], fields[3], fields[4]))
			}
		}
		require.Equal(t, [][2]string{want}, found, arn)
	}
}

func TestLabelsAreWordsAndNotTokens(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, info := range awstype.All() {
		require.Regexp(t, regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9]*( [A-Za-z][A-Za-z-]*)*$|^service-linked role$|^egress-only internet gateway$`), info.Label, info.Token)
		require.Empty(t, seen[info.Label], "%s is the label of two types", info.Label)
		seen[info.Label] = info.Token
	}
}
