package inmemory

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// contract is an account in which the contract's resources exist: a VPC, a subnet, an elastic IP and a NAT gateway of
// cluster demo-x1, and another VPC with a subnet.
type contract struct {
	account.Account
	ids map[string]string
	// denied is the same account, but subnets may not be listed.
	denied account.Account
}

// contractOrders returns the resources in the order of their creation.
func contractOrders() []order {
	owned := map[string]any{"kubernetes.io/cluster/demo-x1": "owned", "Name": "demo"}
	return []order{
		{"vpc", awstype.VPC, map[string]any{"cidrBlock": "10.0.0.0/16", "tags": owned}},
		{"other", awstype.VPC, map[string]any{"cidrBlock": "10.1.0.0/16"}},
		{"subnet", awstype.Subnet, map[string]any{
			"vpcId":            "@vpc",
			"cidrBlock":        "10.0.0.0/24",
			"availabilityZone": "us-east-1a",
			"tags":             owned,
		}},
		{"elsewhere", awstype.Subnet, map[string]any{
			"vpcId":            "@other",
			"cidrBlock":        "10.1.0.0/24",
			"availabilityZone": "us-east-1a",
		}},
		{"gateway", awstype.InternetGateway, map[string]any{"vpcId": "@vpc"}},
		{"egress", awstype.EgressOnlyGateway, map[string]any{"vpcId": "@vpc", "tags": owned}},
		{"address", awstype.ElasticIP, map[string]any{"domain": "vpc", "tags": owned}},
		{"nat", awstype.NATGateway, map[string]any{"subnetId": "@subnet", "allocationId": "@address", "tags": owned}},
	}
}

func inMemoryContract(t *testing.T) contract {
	t.Helper()
	dir, config, ids := t.TempDir(), map[string]any{"region": "us-east-1"}, map[string]string{}
	serve := func(o offline.Options) (*offline.Server, account.Account) {
		server, err := offline.Serve(o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, server.Close()) })
		return server, NewAccount(server, config)
	}
	server, open := serve(offline.Options{Dir: dir})
	port, _, _ := strings.Cut(strings.TrimPrefix(server.Providers(), "aws:"), ",")
	conn, err := grpc.NewClient("127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	c := &caller{pulumirpc.NewResourceProviderClient(conn), ids}
	args, err := structpb.NewStruct(config)
	require.NoError(t, err)
	_, err = c.client.Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: args})
	require.NoError(t, err)
	for _, o := range contractOrders() {
		require.NoError(t, c.create(t.Context(), o))
	}
	rehearsal, err := offline.ReadRehearsal(
		fmt.Sprintf("{faults: [{lists: %q, code: UnauthorizedOperation, message: denied}]}", awstype.Subnet),
	)
	require.NoError(t, err)
	_, denied := serve(offline.Options{Dir: dir, Rehearsal: rehearsal})
	return contract{open, ids, denied}
}

func motoContract(t *testing.T) contract {
	t.Helper()
	address := moto.Serve(t, "what the account in memory answers, compared with AWS's API")
	config := moto.Config(address, "ec2", "sts", "resourcegroupstaggingapi")
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	client, ids := ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.BaseEndpoint = &address }), map[string]string{}
	for _, o := range contractOrders() {
		input := func(name string) *string {
			text := fmt.Sprint(o.inputs[name])
			if reference, is := strings.CutPrefix(text, "@"); is {
				text = ids[reference]
			}
			return &text
		}
		tags := func(resource ec2types.ResourceType) []ec2types.TagSpecification {
			owned, _ := o.inputs["tags"].(map[string]any)
			if owned == nil {
				return nil
			}
			var list []ec2types.Tag
			for key, value := range owned {
				list = append(list, ec2types.Tag{Key: aws.String(key), Value: aws.String(value.(string))})
			}
			return []ec2types.TagSpecification{{ResourceType: resource, Tags: list}}
		}
		switch o.token {
		case awstype.VPC:
			vpc, err := client.CreateVpc(t.Context(), &ec2.CreateVpcInput{
				CidrBlock:         input("cidrBlock"),
				TagSpecifications: tags("vpc"),
			})
			require.NoError(t, err)
			ids[o.name] = *vpc.Vpc.VpcId
		case awstype.Subnet:
			subnet, err := client.CreateSubnet(t.Context(), &ec2.CreateSubnetInput{VpcId: input("vpcId"),
				CidrBlock:        input("cidrBlock"),
				AvailabilityZone: input("availabilityZone"), TagSpecifications: tags("subnet")})
			require.NoError(t, err)
			ids[o.name] = *subnet.Subnet.SubnetId
		case awstype.ElasticIP:
			ip, err := client.AllocateAddress(t.Context(), &ec2.AllocateAddressInput{
				Domain:            "vpc",
				TagSpecifications: tags("elastic-ip"),
			})
			require.NoError(t, err)
			ids[o.name] = *ip.AllocationId
		case awstype.EgressOnlyGateway:
			egress, err := client.CreateEgressOnlyInternetGateway(t.Context(),
				&ec2.CreateEgressOnlyInternetGatewayInput{VpcId: input("vpcId"),
					TagSpecifications: tags("egress-only-internet-gateway")})
			require.NoError(t, err)
			ids[o.name] = *egress.EgressOnlyInternetGateway.EgressOnlyInternetGatewayId
		case awstype.NATGateway:
			nat, err := client.CreateNatGateway(t.Context(), &ec2.CreateNatGatewayInput{SubnetId: input("subnetId"),
				AllocationId:      input("allocationId"),
				TagSpecifications: tags("natgateway")})
			require.NoError(t, err)
			ids[o.name] = *nat.NatGateway.NatGatewayId
		}
	}
	return contract{account.NewAWS(config), ids, account.NewAWS(moto.Config(withoutSubnets(t, address), "ec2", "sts"))}
}

// withoutSubnets returns the address of a proxy that denies lists of subnets.
func withoutSubnets(t *testing.T, address string) string {
	t.Helper()
	target, err := url.Parse(address)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && bytes.Contains(body, []byte("Action=DescribeSubnets&")) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>denied</Message></Error></Errors></Response>`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestTheAccountInMemoryKeepsTheContractOfAccounts(t *testing.T) {
	t.Parallel()
	requireContract(t, inMemoryContract(t))
}

func TestARealAccountKeepsTheContractOfAccountsThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	requireContract(t, motoContract(t))
}

// requireContract requires what recovery, adopt, sweep and the signs of life rely on.
func requireContract(t *testing.T, c contract) {
	t.Helper()
	ctx := t.Context()
	tags := map[string]any{"tags": map[string]any{"kubernetes.io/cluster/demo-x1": "owned"}}
	list := func(q account.Query) []inventory.Resource {
		found, err := c.List(ctx, q)
		require.NoError(t, err)
		return found
	}
	find := func(token string) []string {
		found, err := c.Find(ctx, account.Query{Type: token, Inputs: tags})
		require.NoError(t, err)
		return account.IDs(found)
	}
	owned := account.Select(list(account.Query{
		Type:   awstype.VPC,
		Inputs: tags,
	}), account.Query{Type: awstype.VPC, Inputs: tags}, awstype.Adoption{Owned: true})
	require.Equal(t, []string{c.ids["vpc"]}, account.IDs(owned))
	require.Equal(t, "10.0.0.0/16", owned[0].Text("cidrBlock"))
	subnets := list(account.Query{Type: awstype.Subnet, Inputs: map[string]any{"vpcId": c.ids["vpc"]}})
	require.Equal(t, []string{c.ids["subnet"]}, account.IDs(subnets), "and not those of the other VPC")
	require.Equal(t, c.ids["vpc"], subnets[0].VPC)
	require.Equal(t, []string{c.ids["elsewhere"]}, account.IDs(list(account.Query{
		Type: awstype.Subnet,
		IDs:  []string{c.ids["elsewhere"]},
	})))
	inVPC := list(account.Query{Type: awstype.EgressOnlyGateway, Inputs: map[string]any{"vpcId": c.ids["vpc"]}})
	require.Equal(t, []string{c.ids["egress"]}, account.IDs(inVPC))
	require.Equal(t, c.ids["vpc"], inVPC[0].VPC)
	for name, token := range map[string]string{"vpc": awstype.VPC, "subnet": awstype.Subnet, "address": awstype.ElasticIP,
		"nat":    awstype.NATGateway,
		"egress": awstype.EgressOnlyGateway} {
		require.Equal(t, []string{c.ids[name]}, find(token), token)
	}
	tagged, err := c.Tagged(ctx, account.OwnedBy("demo-x1"))
	require.NoError(t, err)
	require.Subset(t, account.IDs(tagged), []string{c.ids["vpc"], c.ids["subnet"]})
	require.NotContains(t, account.IDs(tagged), c.ids["other"])

	nat := inventory.Resource{Type: awstype.NATGateway, ID: c.ids["nat"]}
	at, exists, err := c.Created(ctx, nat)
	require.NoError(t, err)
	require.True(t, exists)
	require.False(t, at.IsZero())
	_, exists, err = c.Created(ctx, inventory.Resource{Type: awstype.NATGateway, ID: "nat-0123456789abcdef0"})
	require.NoError(t, err)
	require.False(t, exists)

	network := func(s awstype.Type) bool { return s.Sweep.Network }
	leftovers, missing := account.Leftovers(ctx, c, network)
	require.Empty(t, missing)
	require.ElementsMatch(t, []string{c.ids["nat"], c.ids["egress"], c.ids["subnet"], c.ids["vpc"]},
		account.IDs(leftovers))
	leftovers, missing = account.Leftovers(ctx, c.denied, network)
	require.Len(t, missing, 1, "unknown is not nothing")
	require.Equal(t, awstype.Subnet, missing[0].Type)
	require.ElementsMatch(t, []string{c.ids["nat"], c.ids["egress"], c.ids["vpc"]}, account.IDs(leftovers))

	for range 2 { // the second time it does not exist
		require.NoError(t, c.Delete(ctx, nat))
		require.NoError(t, c.Delete(ctx, inventory.Resource{Type: awstype.EgressOnlyGateway, ID: c.ids["egress"]}))
	}
	require.Empty(t, list(account.Query{Type: awstype.EgressOnlyGateway, Inputs: tags}))
	require.Empty(t, find(awstype.NATGateway))
	for name, token := range map[string]string{"subnet": awstype.Subnet, "nat": awstype.NATGateway} {
		now, err := account.Describe(ctx, c, inventory.Resource{Type: token, ID: c.ids[name]})
		require.NoError(t, err)
		require.Equal(t, token == awstype.Subnet, now != nil, name)
	}
}
