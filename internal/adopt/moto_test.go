package adopt

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// TestTheConfigOfAClusterIsDerivedFromARealAccount runs against moto, through AWS's own API.
func TestTheConfigOfAClusterIsDerivedFromARealAccount(t *testing.T) {
	t.Parallel()
	config := moto.Provider(moto.Serve(t, "the survey of a real account"), "ec2", "elb", "elbv2", "iam", "route53", "s3", "sts", "kms", "resourcegroupstaggingapi")
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	compute := ec2.NewFromConfig(cfg, func(o *ec2.Options) { settings.SetEndpoint("ec2", &o.BaseEndpoint) })
	names := route53.NewFromConfig(cfg, func(o *route53.Options) { settings.SetEndpoint("route53", &o.BaseEndpoint) })
	identities := iam.NewFromConfig(cfg, func(o *iam.Options) { settings.SetEndpoint("iam", &o.BaseEndpoint) })
	ctx := t.Context()

	tags := func(kind ec2types.ResourceType, name string, more ...string) []ec2types.TagSpecification {
		list := []ec2types.Tag{{Key: aws.String("kubernetes.io/cluster/" + infraID), Value: aws.String("owned")}, {Key: aws.String("Name"), Value: &name},
			{Key: aws.String("team"), Value: aws.String("platform")}}
		for i := 0; i < len(more); i += 2 {
			list = append(list, ec2types.Tag{Key: &more[i], Value: &more[i+1]})
		}
		return []ec2types.TagSpecification{{ResourceType: kind, Tags: list}}
	}
	vpc, err := compute.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.16.0.0/16"), TagSpecifications: tags(ec2types.ResourceTypeVpc, infraID+"-vpc")})
	require.NoError(t, err)
	id := vpc.Vpc.VpcId
	_, err = compute.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
	require.NoError(t, err)
	table, err := compute.CreateRouteTable(ctx, &ec2.CreateRouteTableInput{VpcId: id, TagSpecifications: tags(ec2types.ResourceTypeRouteTable, "renamed")})
	require.NoError(t, err)
	for zone, cidrs := range map[string][]string{"us-east-1a": {"10.16.0.0/20", "10.16.128.0/20"}, "us-east-1b": {"10.16.16.0/20", "10.16.144.0/20"}} {
		for i, cidr := range cidrs {
			more := []string{"kubernetes.io/role/elb", "1"}
			if i == 1 {
				more = nil
			}
			subnet, err := compute.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: id, CidrBlock: aws.String(cidr), AvailabilityZone: aws.String(zone),
				TagSpecifications: tags(ec2types.ResourceTypeSubnet, zone, more...)})
			require.NoError(t, err)
			if i == 1 && zone == "us-east-1a" {
				_, err = compute.AssociateRouteTable(ctx, &ec2.AssociateRouteTableInput{RouteTableId: table.RouteTable.RouteTableId, SubnetId: subnet.Subnet.SubnetId})
				require.NoError(t, err)
			}
		}
	}
	issuer := "my-bucket.s3.us-east-1.amazonaws.com/" + infraID
	_, err = identities.CreateOpenIDConnectProvider(ctx, &iam.CreateOpenIDConnectProviderInput{Url: aws.String("https://" + issuer),
		ClientIDList: []string{"openshift"}, ThumbprintList: []string{strings.Repeat("a", 40)}})
	require.NoError(t, err)
	for name, document := range map[string]string{
		"openshift-ingress": `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"route53:*","Resource":"*"}]}`,
		"kms-provider": `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"kms:Encrypt",` +
			`"Resource":"arn:aws:kms:us-east-1:123456789012:key/k1"}]}`,
	} {
		trust := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Federated":"arn:aws:iam::123456789012:oidc-provider/` + issuer +
			`"},"Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":{"` + issuer + `:sub":"x"}}}]}`
		role := aws.String(infraID + "-" + name)
		_, err = identities.CreateRole(ctx, &iam.CreateRoleInput{RoleName: role, AssumeRolePolicyDocument: &trust})
		require.NoError(t, err)
		_, err = identities.PutRolePolicy(ctx, &iam.PutRolePolicyInput{RoleName: role, PolicyName: role, PolicyDocument: &document})
		require.NoError(t, err)
	}
	for _, name := range []string{"demo.example.com", "demo.hypershift.local"} {
		_, err = names.CreateHostedZone(ctx, &route53.CreateHostedZoneInput{Name: &name, CallerReference: &name,
			VPC: &route53types.VPC{VPCId: id, VPCRegion: "us-east-1"}, HostedZoneConfig: &route53types.HostedZoneConfig{PrivateZone: true}})
		require.NoError(t, err)
	}

	account := orphan.NewInventory(config)
	s, err := Look(ctx, account, nil, Options{InfraID: infraID, Region: "us-east-1"})
	require.NoError(t, err)
	require.Empty(t, s.Incomplete)
	require.True(t, s.DefaultGroupHasRules(), "AWS creates the group with rules")
	c, err := s.Cluster(ctx)
	require.NoError(t, err)
	text := c.File(Access{}, Access{})
	for _, line := range []string{
		"name: demo", "baseDomain: example.com", "endpointAccess: PublicAndPrivate", "team: platform", "vpcCIDR: 10.16.0.0/16",
		"zones: [us-east-1a, us-east-1b]", "nat: None", "bucketName: my-bucket", "kmsKeyARN: arn:aws:kms:us-east-1:123456789012:key/k1",
	} {
		require.Contains(t, text, line)
	}
	require.Equal(t, *table.RouteTable.RouteTableId, s.Bound(c)[Key{awstype.RouteTable, infraID + "-private-us-east-1a"}])
	require.NotEmpty(t, s.OriginalMainTable())

	// What the importer looks for by its inputs.
	for token, inputs := range map[string]map[string]any{
		awstype.Role: {"name": infraID + "-kms-provider"}, awstype.RolePolicy: {"role": infraID + "-kms-provider", "name": infraID + "-kms-provider"},
		awstype.Subnet: {"vpcId": *id, "cidrBlock": "10.16.0.0/20"}, awstype.HostedZone: {"name": "demo.example.com", "vpcs": []any{map[string]any{"vpcId": *id}}},
	} {
		q, how := orphan.Query{Type: token, Inputs: inputs}, adoptionOf(t, token)
		found, err := account.List(ctx, q)
		require.NoError(t, err, token)
		require.Len(t, orphan.Select(found, q, how), 1, token)
	}
	for token, inputs := range map[string]map[string]any{
		awstype.Role: {"name": "nobody"}, awstype.InstanceProfile: {"name": "nothing"}, awstype.Bucket: {"bucket": "no-such-bucket-anywhere"},
		"aws:s3/bucketPolicy:BucketPolicy": {"bucket": "no-such-bucket-anywhere"},
	} {
		found, err := account.List(ctx, orphan.Query{Type: token, Inputs: inputs})
		require.NoError(t, err, token)
		require.Empty(t, found, token)
	}
}

func adoptionOf(t *testing.T, token string) awstype.Adoption {
	t.Helper()
	how, known := awstype.AdoptionOf(token)
	require.True(t, known, token)
	return how
}
