package inmemory

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// order is a resource that a stack creates. Inputs that begin with "@" are the ID of the order of that name.
type order struct {
	name, token string
	inputs      map[string]any
}

// stackOrders returns the resources of a stack, in the order of their creation.
func stackOrders(t *rapid.T, stack int) []order {
	var orders []order
	add := func(token string, inputs map[string]any) string {
		name := fmt.Sprintf("s%d-%d", stack, len(orders))
		orders = append(orders, order{name, token, inputs})
		return "@" + name
	}
	some := func(label string, most int) int {
		return rapid.IntRange(0, most).Draw(t, fmt.Sprintf("%s of stack %d", label, stack))
	}
	for v := range some("VPCs", 2) {
		vpc := add(awstype.VPC, map[string]any{"cidrBlock": fmt.Sprintf("10.%d.0.0/16", stack*10+v)})
		add(awstype.InternetGateway, map[string]any{"vpcId": vpc})
		var subnets []string
		for n := range some("subnets", 3) {
			zone := []string{"us-east-1a", "us-east-1b"}[some("zone", 1)]
			subnets = append(subnets, add(awstype.Subnet, map[string]any{
				"vpcId": vpc, "cidrBlock": fmt.Sprintf("10.%d.%d.0/24", stack*10+v, n), "availabilityZone": zone,
			}))
		}
		for range some("route tables", 2) {
			add(awstype.RouteTable, map[string]any{"vpcId": vpc})
		}
		for _, service := range []string{"s3", "dynamodb"}[:some("gateway endpoints", 2)] {
			add(awstype.VPCEndpoint, map[string]any{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1." + service})
		}
		for _, service := range []string{"sts", "ec2"}[:some("interface endpoints", 2)] {
			add(awstype.VPCEndpoint, map[string]any{
				"vpcId":           vpc,
				"serviceName":     "com.amazonaws.us-east-1." + service,
				"vpcEndpointType": "Interface",
			})
		}
		for n := range some("security groups", 2) {
			add(awstype.SecurityGroup, map[string]any{"vpcId": vpc, "name": fmt.Sprintf("group-%d", n)})
		}
		if len(subnets) > 0 {
			for range some("NAT gateways", 2) {
				add(awstype.NATGateway, map[string]any{
					"subnetId":     subnets[some("its subnet", len(subnets)-1)],
					"allocationId": add(awstype.ElasticIP, map[string]any{"domain": "vpc"}),
				})
			}
			for n := range some("load balancers", 2) {
				add(awstype.LoadBalancer, map[string]any{
					"name": fmt.Sprintf("lb-%d-%d-%d", stack, v, n), "loadBalancerType": "network", "internal": true,
					"subnets": []any{subnets[0]},
				})
			}
		}
	}
	for n := range some("roles", 3) {
		name := fmt.Sprintf("role-%d-%d", stack, n)
		add(awstype.Role, map[string]any{"name": name, "assumeRolePolicy": `{"Version":"2012-10-17","Statement":[{"Effect":"Allow",` +
			`"Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}`})
		add(awstype.InstanceProfile, map[string]any{"name": name})
	}
	for n := range some("zones", 2) {
		add(awstype.HostedZone, map[string]any{"name": fmt.Sprintf("zone-%d-%d.example.com", stack, n)})
	}
	for n := range some("issuers", 2) {
		add(awstype.OIDCProvider, map[string]any{
			"url":           fmt.Sprintf("https://issuer-%d-%d.example.com", stack, n),
			"clientIdLists": []any{"openshift"},
		})
	}
	return orders
}

// caller creates resources as the engine does, one after the other.
type caller struct {
	client pulumirpc.ResourceProviderClient
	ids    map[string]string
}

func (c *caller) create(ctx context.Context, o order) error {
	inputs := map[string]any{}
	for name, value := range o.inputs {
		inputs[name] = c.resolved(value)
	}
	news, err := structpb.NewStruct(inputs)
	if err != nil {
		return err
	}
	checked, err := c.client.Check(ctx, &pulumirpc.CheckRequest{
		Type:       o.token,
		Name:       o.name,
		News:       news,
		RandomSeed: []byte(o.name),
	})
	if err != nil {
		return err
	}
	if len(checked.Failures) > 0 {
		return fmt.Errorf("%s: %s", o.token, checked.Failures[0].Reason)
	}
	made, err := c.client.Create(ctx, &pulumirpc.CreateRequest{Type: o.token, Name: o.name, Properties: checked.Inputs})
	if err == nil {
		c.ids[o.name] = made.Id
	}
	return err
}

func (c *caller) resolved(value any) any {
	switch v := value.(type) {
	case string:
		if name, isReference := strings.CutPrefix(v, "@"); isReference {
			return c.ids[name]
		}
	case []any:
		var list []any
		for _, item := range v {
			list = append(list, c.resolved(item))
		}
		return list
	}
	return value
}

// planOf returns a plan that creates the orders, as a preview describes them: what another one gives is not known yet.
func planOf(orders []order, place inventory.Place) preflight.Plan {
	p := preflight.Plan{Stack: "dev", Own: place}
	urn := func(o order) string { return "urn:pulumi:dev::test::" + o.token + "::" + o.name }
	byName := map[string]order{}
	for _, o := range orders {
		byName[o.name] = o
	}
	for _, o := range orders {
		r := preflight.Resource{
			URN:     urn(o),
			Type:    o.token,
			Place:   place,
			Created: true,
			Inputs:  map[string]any{},
			From:    map[string][]string{},
		}
		for input, value := range o.inputs {
			r.Inputs[input] = value
			if text, isText := value.(string); isText && strings.HasPrefix(text, "@") {
				r.Inputs[input] = plugin.UnknownStringValue
				r.From[input] = []string{urn(byName[text[1:]])}
			}
		}
		p.Resources = append(p.Resources, r)
	}
	return p
}

// TestPreflightFailsForAQuotaIfAndOnlyIfACreationIsRefusedForOne: over random limits, with random stacks there already.
func TestPreflightFailsForAQuotaIfAndOnlyIfACreationIsRefusedForOne(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "preflight")
		require.NoError(t, err)
		defer os.RemoveAll(dir) //nolint:errcheck // it is the system's to clean
		limits := map[string]int{}
		for _, q := range awstype.Quotas() {
			if rapid.Bool().Draw(t, q.Name+" is lowered") {
				limits[q.Name] = rapid.IntRange(1, 6).Draw(t, q.Name)
			}
		}
		server, err := offline.Serve(offline.Options{Dir: dir, Rehearsal: offline.Rehearsal{Quotas: limits}})
		require.NoError(t, err)
		defer server.Close() //nolint:errcheck // its folder no longer exists
		port, _, _ := strings.Cut(strings.TrimPrefix(server.Providers(), "aws:"), ",")
		conn, err := grpc.NewClient("127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		defer conn.Close() //nolint:errcheck // the server has stopped
		c := &caller{pulumirpc.NewResourceProviderClient(conn), map[string]string{}}
		config := map[string]any{"region": "us-east-1"}
		args, err := structpb.NewStruct(config)
		require.NoError(t, err)
		_, err = c.client.Configure(ctx, &pulumirpc.ConfigureRequest{Args: args})
		require.NoError(t, err)

		for stack := range rapid.IntRange(0, 2).Draw(t, "stacks that are there") {
			for _, o := range stackOrders(t, stack) {
				if c.create(ctx, o) != nil {
					break // the rest of the stack may need what was refused
				}
			}
		}
		orders := stackOrders(t, 5)
		account := NewAccount(server, config)
		who, err := account.Identity(ctx)
		require.NoError(t, err)
		place := who.Place
		calls := server.Calls()
		report := preflight.Run(ctx, planOf(orders, place), preflight.Accounts{place: account}, preflight.Options{})
		require.Equal(t, calls, server.Calls(), "preflight makes no call that creates, changes or deletes")
		foretold := report.Count(finding.Error) > 0

		var refusal error
		for _, o := range orders {
			if err := c.create(ctx, o); err != nil {
				require.Regexp(t, "LimitExceeded|TooMany", err.Error())
				refusal = err
				break
			}
		}
		require.Equal(t, refusal != nil, foretold, "limits %v\n%sfirst refusal: %v", limits, report.Text(), refusal)
	})
}
