package adopt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// fakeAccount lists what it is given.
type fakeAccount struct {
	account.Account
	resources []inventory.Resource
	// denied are the types that may not be listed.
	denied map[string]bool
}

func (*fakeAccount) Place(context.Context) (inventory.Place, error) {
	return inventory.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"}, nil
}

func (a *fakeAccount) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	if a.denied[q.Type] {
		return nil, errors.New("AccessDenied: not authorized")
	}
	var found []inventory.Resource
	for _, r := range a.resources {
		if r.Type == q.Type {
			found = append(found, r)
		}
	}
	return found, nil
}

func (a *fakeAccount) add(token, id string, tags map[string]string, properties map[string]any) {
	a.resources = append(a.resources, inventory.Resource{
		Type:       token,
		ID:         id,
		Tags:       tags,
		ARN:        "arn:" + id,
		Properties: properties,
	})
}

const infraID = "demo-x7k2p"

// ofHyperShift returns the account of a cluster that HyperShift's CLI created, as far as a survey looks at it.
func ofHyperShift() *fakeAccount {
	a := &fakeAccount{denied: map[string]bool{}}
	owned := func(name string, more ...string) map[string]string {
		tags := map[string]string{"kubernetes.io/cluster/" + infraID: "owned", "Name": name, "team": "platform"}
		for i := 0; i < len(more); i += 2 {
			tags[more[i]] = more[i+1]
		}
		return tags
	}
	a.add(awstype.VPC, "vpc-1", owned(infraID+"-vpc"), map[string]any{
		"cidrBlock":     "10.0.0.0/16",
		"dhcpOptionsId": "dopt-1",
	})
	a.add(awstype.DHCPOptions, "dopt-1", owned(""), map[string]any{"domainName": "ec2.internal"})
	for i, zone := range []string{"us-east-1a", "us-east-1c"} {
		private, public := []string{"10.0.128.0/20", "10.0.144.0/20"}[i], []string{"10.0.0.0/20", "10.0.16.0/20"}[i]
		a.add(awstype.Subnet, "private-"+zone, owned("x"), map[string]any{
			"vpcId":            "vpc-1",
			"cidrBlock":        private,
			"availabilityZone": zone,
		})
		a.add(awstype.Subnet, "public-"+zone, owned("y", "kubernetes.io/role/elb", "1"), map[string]any{
			"vpcId":            "vpc-1",
			"cidrBlock":        public,
			"availabilityZone": zone,
		})
		a.add(awstype.RouteTable, "rtb-"+zone, owned("renamed"), map[string]any{"vpcId": "vpc-1"})
		a.add(awstype.RouteTableAssociation, "assoc-"+zone, nil, map[string]any{
			"routeTableId": "rtb-" + zone,
			"subnetId":     "private-" + zone,
		})
	}
	a.add(awstype.RouteTable, "rtb-public", owned("p"), map[string]any{"vpcId": "vpc-1"})
	a.add(awstype.RouteTableAssociation, "assoc-public", nil, map[string]any{
		"routeTableId": "rtb-public",
		"subnetId":     "public-us-east-1a",
	})
	a.add(awstype.RouteTable, "rtb-first", nil, map[string]any{"vpcId": "vpc-1"})
	a.add(awstype.NATGateway, "nat-1", owned("n"), map[string]any{
		"subnetId":     "public-us-east-1a",
		"allocationId": "eipalloc-1",
	})
	a.add(awstype.ElasticIP, "eipalloc-1", owned("e"), nil)
	inVPC := []any{map[string]any{"vpcId": "vpc-1"}}
	a.add(awstype.HostedZone, "ZPRIVATE", nil, map[string]any{"name": "demo.sub.example.com", "vpcs": inVPC})
	a.add(awstype.HostedZone, "ZLOCAL", nil, map[string]any{"name": "demo.hypershift.local", "vpcs": inVPC})
	a.add(awstype.HostedZone, "ZPUBLIC", nil, map[string]any{"name": "sub.example.com."})
	issuer := "my-bucket.s3.eu-west-1.amazonaws.com/" + infraID
	a.add(awstype.OIDCProvider, "arn:aws:iam::123456789012:oidc-provider/"+issuer, nil, map[string]any{"url": issuer})
	for _, name := range []string{"openshift-ingress", "kms-provider", "worker-role"} {
		a.add(awstype.Role, infraID+"-"+name, nil, map[string]any{"name": infraID + "-" + name, "path": "/",
			"assumeRolePolicy": `{"Condition":{"StringEquals":{"` + issuer + `:sub":"x"}}}`})
	}
	a.add(awstype.RolePolicy, "i", nil, map[string]any{"role": infraID + "-openshift-ingress", "policy": `"arn:aws:route53:::hostedzone/ZPUBLIC"`})
	a.add(awstype.RolePolicy, "k", nil, map[string]any{"role": infraID + "-kms-provider", "policy": `"arn:aws:kms:us-east-1:123456789012:key/k1"`})
	a.add(awstype.DefaultSecurityGroup, "sg-1", nil, map[string]any{
		"vpcId":   "vpc-1",
		"ingress": []any{map[string]any{}},
		"egress":  []any{},
	})
	return a
}

func look(a *fakeAccount, o documents.Search) (*Survey, *Cluster, error) {
	o.InfraID, o.Region = infraID, "us-east-1"
	s, err := Look(context.Background(), a, nil, o)
	if err != nil {
		return nil, nil, err
	}
	c, err := s.Cluster(context.Background())
	return s, c, err
}

func TestTheFileOfAClusterOfHyperShiftsCLIMarksUncertainValues(t *testing.T) {
	t.Parallel()
	s, c, err := look(ofHyperShift(), documents.Search{KeepDefaultGroup: true})
	require.NoError(t, err)
	require.Equal(t, `# yaml-language-server: $schema=./hypershift-aws.schema.json
config:
  aws:region: us-east-1
  aws:profile: acme
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x7k2p
    tags:
      team: platform
    baseDomain: sub.example.com
    # Not certain: HyperShift's CLI creates the same for Public, PublicAndPrivate and Private: compare it with spec.platform.aws.endpointAccess of the HostedCluster.
    endpointAccess: PublicAndPrivate
    network:
      zones: [us-east-1a, us-east-1c]
      nat: Single
      # The default security group has rules, which stay.
      keepDefaultSecurityGroup: true
    oidc:
      bucketName: my-bucket
      bucketRegion: eu-west-1
    kmsKeyARN: arn:aws:kms:us-east-1:123456789012:key/k1
`, c.File(takeover.Credentials{Profile: "acme"}, takeover.Credentials{}))
	original, err := originalMainTable(t.Context(), ofHyperShift(), "vpc-1", "rtb-public")
	require.NoError(t, err)
	require.Equal(t, "rtb-first", original)
	require.Equal(t, map[takeover.Key]string{
		{Type: awstype.RouteTable, Name: infraID + "-private-us-east-1a"}: "rtb-us-east-1a",
		{Type: awstype.RouteTable, Name: infraID + "-private-us-east-1c"}: "rtb-us-east-1c",
		{Type: awstype.RouteTable, Name: infraID + "-public"}:             "rtb-public",
		{Type: awstype.ElasticIP, Name: infraID + "-eip-us-east-1a"}:      "eipalloc-1",
		{Type: awstype.DHCPOptions, Name: ""}:                             "dopt-1",
	}, s.Bound(c))
}

func TestAGivenModeIsNotGuessed(t *testing.T) {
	t.Parallel()
	_, c, err := look(ofHyperShift(), documents.Search{EndpointAccess: hypershift.Private})
	require.NoError(t, err)
	require.Equal(t, hypershift.Private, c.EndpointAccess)
	require.Empty(t, c.Unsure)
}

func TestWhatCannotBeAdoptedIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	tag := map[string]string{"kubernetes.io/cluster/" + infraID: "owned"}
	for name, test := range map[string]struct {
		change  func(*fakeAccount)
		options documents.Search
		want    []string
	}{
		"two clusters with one infra ID": {
			func(a *fakeAccount) { a.add(awstype.VPC, "vpc-2", tag, map[string]any{"cidrBlock": "10.1.0.0/16"}) },
			documents.Search{},
			[]string{"2 VPCs carry the tag", "vpc-1 (10.0.0.0/16", "vpc-2 (10.1.0.0/16", "an infra ID belongs to one cluster"},
		},
		"no VPC": {
			func(a *fakeAccount) { a.resources = a.resources[1:] }, documents.Search{},
			[]string{"no VPC in us-east-1 carries the tag kubernetes.io/cluster/demo-x7k2p=owned", "--vpc-owner-role"},
		},
		"a VPC that the cluster does not own": {
			func(a *fakeAccount) { a.resources[0].Tags = nil }, documents.Search{Infra: &documents.Infra{VPCID: "vpc-1"}},
			[]string{"vpc-1 of the infra document does not either", "hypershift-aws new"},
		},
		"a subnet of another layout": {
			func(a *fakeAccount) {
				a.add(awstype.Subnet, "subnet-9", tag, map[string]any{
					"vpcId":            "vpc-1",
					"cidrBlock":        "10.0.9.0/24",
					"availabilityZone": "us-east-1a",
				})
			}, documents.Search{},
			[]string{"subnet subnet-9 has 10.0.9.0/24", "network.existing"},
		},
		"documents of another cluster": {
			func(*fakeAccount) {}, documents.Search{
				Infra: &documents.Infra{InfraID: "other", Region: "us-east-2", VPCID: "vpc-9", PrivateZoneID: "Z9",
					LocalZoneID: "ZLOCAL",
					Zones: []documents.InfraZone{{
						Name:     "us-east-1b",
						SubnetID: "private-us-east-1a",
					}, {Name: "us-east-1a", SubnetID: "subnet-9"}}},
				IAM: &documents.IAM{InfraID: infraID, IssuerURL: "https://my-bucket.s3.eu-west-1.amazonaws.com/" + infraID,
					Roles: documents.IAMRoles{StorageARN: "arn:aws:iam::123456789012:role/gone"}},
			},
			[]string{
				"infraID of the infra document is other, but the account has demo-x7k2p",
				"region of the infra document is us-east-2",
				"vpcID is vpc-9, but the account has vpc-1", "privateZoneID is Z9, but the account has ZPRIVATE",
				"the zone of subnet private-us-east-1a is us-east-1b, but the account has us-east-1a",
				"the subnet of zone us-east-1a is subnet-9, but the account has nothing of that kind",
				"storageARN is arn:aws:iam::123456789012:role/gone", "leave the documents out: --infra-id and --region are enough",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ofHyperShift()
			test.change(a)
			_, _, err := look(a, test.options)
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestAListThatMayNotBeReadIsNamedAndTheRestIsRead(t *testing.T) {
	t.Parallel()
	a := ofHyperShift()
	a.denied[awstype.Role], a.denied[awstype.NATGateway] = true, true
	s, c, err := look(a, documents.Search{})
	require.NoError(t, err)
	require.Equal(t, []string{"NAT gateway: AccessDenied: not authorized", "IAM role: AccessDenied: not authorized"},
		s.Incomplete)
	require.Equal(t, network.None, c.Network.NAT)
	require.NotEmpty(t, c.Unsure["nat"], "the NAT gateways could not be counted")
	require.Contains(t, c.File(takeover.Credentials{}, takeover.Credentials{}),
		"# Could not be listed: NAT gateway: AccessDenied")
	require.Equal(t, "my-bucket", input.Text(c.OIDC.BucketName))
}

// TestAnAdoptedClusterWithoutAKMSKeyTakesNoneFromItsManagementStack: HyperShift's CLI creates the role of the KMS
// provider only for a key.
func TestAnAdoptedClusterWithoutAKMSKeyTakesNoneFromItsManagementStack(t *testing.T) {
	t.Parallel()
	const theirs = "arn:aws:kms:us-east-1:123456789012:key/theirs"
	withKey := func(key string) *fakeAccount {
		a := ofHyperShift()
		a.resources = slices.DeleteFunc(a.resources, func(r inventory.Resource) bool {
			return r.Type == awstype.RolePolicy && r.ID == "k" ||
				key == "" && r.Type == awstype.Role && r.ID == infraID+"-kms-provider"
		})
		if key != "" {
			a.add(awstype.RolePolicy, "k", nil, map[string]any{"role": infraID + "-kms-provider", "policy": `"` + key + `"`})
		}
		return a
	}
	own := "arn:aws:kms:us-east-1:123456789012:key/k1"
	for name, test := range map[string]struct{ has, management, offered, want string }{
		"AESCBC, and the management stack has a key":  {"", "management", theirs, config.NoKMSKey},
		"AESCBC, and the management stack has no key": {"", "management", "", config.NoKMSKey},
		"AESCBC, without a management stack":          {"", "", "", ""},
		"its own key":                                 {own, "management", theirs, own},
		"the management stack's key":                  {theirs, "management", theirs, ""},
	} {
		_, c, err := look(withKey(test.has), documents.Search{Management: test.management, KMSKeyARN: test.offered})
		require.NoError(t, err, name)
		require.Equal(t, test.want, input.Text(c.KMSKeyARN), name)
		line := "\n    kmsKeyARN: " + test.want + "\n"
		require.Equal(t, test.want != "", strings.Contains(c.File(takeover.Credentials{}, takeover.Credentials{}), line), name)
	}
}
