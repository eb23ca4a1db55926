package offline

import (
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// engine speaks the protocol to one provider instance, as Pulumi's engine does.
type engine struct {
	t      *testing.T
	client pulumirpc.ResourceProviderClient
}

// serve serves accounts under a new folder for as long as the test lasts.
func serve(t *testing.T, opts Options) *Server {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	server, err := Serve(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server
}

// attach connects to the server and configures the instance.
func attach(t *testing.T, server *Server, config props.Map) *engine {
	t.Helper()
	return attachTo(t, server, "aws", config)
}

// attachTo connects to one of the server's providers and configures the instance.
func attachTo(t *testing.T, server *Server, name string, config props.Map) *engine {
	t.Helper()
	port := ""
	for _, provider := range strings.Split(server.Providers(), ",") {
		if found, is := strings.CutPrefix(provider, name+":"); is {
			port = found
		}
	}
	conn, err := grpc.NewClient("127.0.0.1:"+port,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	e := &engine{t, pulumirpc.NewResourceProviderClient(conn)}
	_, err = e.client.Attach(t.Context(), &pulumirpc.PluginAttach{Address: "127.0.0.1:1"})
	require.NoError(t, err)
	_, err = e.client.Handshake(t.Context(), &pulumirpc.ProviderHandshakeRequest{})
	require.NoError(t, err)
	args, err := props.Marshal(config)
	require.NoError(t, err)
	_, err = e.client.Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: args, AcceptSecrets: true})
	require.NoError(t, err)
	return e
}

// start returns an instance in us-east-1 on a separate server.
func start(t *testing.T) *engine {
	t.Helper()
	return attach(t, serve(t, Options{}), props.Map{"region": "us-east-1"})
}

func (e *engine) check(token string, inputs props.Map) (props.Map, []*pulumirpc.CheckFailure) {
	e.t.Helper()
	news, err := props.Marshal(inputs)
	require.NoError(e.t, err)
	checked, err := e.client.Check(e.t.Context(), &pulumirpc.CheckRequest{Type: token, Name: "it", News: news})
	require.NoError(e.t, err)
	out, err := props.Unmarshal(checked.GetInputs())
	require.NoError(e.t, err)
	return out, checked.GetFailures()
}

// valid checks inputs that are to pass.
func (e *engine) valid(token string, inputs props.Map) props.Map {
	e.t.Helper()
	checked, failures := e.check(token, inputs)
	require.Empty(e.t, failures, "%s: %v", token, inputs)
	return checked
}

func (e *engine) try(token string, inputs props.Map, preview bool) (string, props.Map, error) {
	e.t.Helper()
	properties, err := props.Marshal(e.valid(token, inputs))
	require.NoError(e.t, err)
	created, err := e.client.Create(e.t.Context(), &pulumirpc.CreateRequest{Type: token, Name: "it",
		Properties: properties,
		Preview:    preview})
	if err != nil {
		return "", nil, err
	}
	out, err := props.Unmarshal(created.GetProperties())
	require.NoError(e.t, err)
	return created.GetId(), out, nil
}

// create makes a resource that is to come up.
func (e *engine) create(token string, inputs props.Map) (id string, out props.Map) {
	e.t.Helper()
	id, out, err := e.try(token, inputs, false)
	require.NoError(e.t, err)
	require.NotEmpty(e.t, id)
	return id, out
}

// id makes a resource of which only the ID matters.
func (e *engine) id(token string, inputs props.Map) string {
	e.t.Helper()
	id, _ := e.create(token, inputs)
	return id
}

func (e *engine) update(token, id string, olds, news props.Map) (props.Map, error) {
	e.t.Helper()
	was, err := props.Marshal(e.valid(token, olds))
	require.NoError(e.t, err)
	is, err := props.Marshal(e.valid(token, news))
	require.NoError(e.t, err)
	updated, err := e.client.Update(e.t.Context(), &pulumirpc.UpdateRequest{Type: token, Name: "it", Id: id,
		OldInputs: was,
		Olds:      was, News: is})
	if err != nil {
		return nil, err
	}
	return props.Unmarshal(updated.GetProperties())
}

// read returns the ID, outputs and inputs that a refresh finds, or an import if olds is nil. The ID is empty if there
// is no resource.
func (e *engine) read(token, id string, olds props.Map) (string, props.Map, props.Map) {
	e.t.Helper()
	inputs, err := props.Marshal(olds)
	require.NoError(e.t, err)
	req := &pulumirpc.ReadRequest{Type: token, Name: "it", Id: id}
	if olds != nil {
		req.Inputs = inputs
		req.Properties, err = props.Marshal(props.Map{"id": id})
		require.NoError(e.t, err)
	}
	found, err := e.client.Read(e.t.Context(), req)
	require.NoError(e.t, err)
	out, err := props.Unmarshal(found.GetProperties())
	require.NoError(e.t, err)
	in, err := props.Unmarshal(found.GetInputs())
	require.NoError(e.t, err)
	return found.GetId(), out, in
}

func (e *engine) delete(token, id string) error {
	_, err := e.client.Delete(e.t.Context(), &pulumirpc.DeleteRequest{Type: token, Name: "it", Id: id})
	return err
}

func (e *engine) diff(token string, olds, news props.Map, ignored ...string) *pulumirpc.DiffResponse {
	e.t.Helper()
	was, err := props.Marshal(olds)
	require.NoError(e.t, err)
	is, err := props.Marshal(news)
	require.NoError(e.t, err)
	found, err := e.client.Diff(e.t.Context(), &pulumirpc.DiffRequest{Type: token, Name: "it", Id: "x", OldInputs: was,
		Olds: was, News: is, IgnoreChanges: ignored})
	require.NoError(e.t, err)
	return found
}

func (e *engine) invoke(token string, args props.Map) (props.Map, error) {
	e.t.Helper()
	given, err := props.Marshal(args)
	require.NoError(e.t, err)
	answered, err := e.client.Invoke(e.t.Context(), &pulumirpc.InvokeRequest{Tok: token, Args: given})
	if err != nil {
		return nil, err
	}
	return props.Unmarshal(answered.GetReturn())
}

// refused asserts that AWS's code is what an error is about.
func refused(t *testing.T, err error, code string) {
	t.Helper()
	require.ErrorContains(t, err, "api error "+code+": ")
}

const (
	trustText  = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}`
	policyText = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["ec2:DescribeVpcs","ec2:DescribeSubnets"],"Resource":"*"}]}`
)

// The smallest resources of each type that others depend on.

func (e *engine) vpc() string {
	return e.id(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": true})
}

func (e *engine) subnet(vpc, cidr, zone string) string {
	return e.id(awstype.Subnet, props.Map{"vpcId": vpc, "cidrBlock": cidr, "availabilityZone": zone})
}

func (e *engine) table(vpc string) string { return e.id(awstype.RouteTable, props.Map{"vpcId": vpc}) }

func (e *engine) gateway(vpc string) string {
	return e.id(awstype.InternetGateway, props.Map{"vpcId": vpc})
}

func (e *engine) address() string { return e.id(awstype.ElasticIP, props.Map{"domain": "vpc"}) }

func (e *engine) nat(subnet, address string) string {
	return e.id(awstype.NATGateway, props.Map{"subnetId": subnet, "allocationId": address})
}

func (e *engine) role(name string) string {
	return e.id(awstype.Role, props.Map{"name": name, "assumeRolePolicy": trustText})
}

func (e *engine) publicZone(name string) string {
	return e.id(awstype.HostedZone, props.Map{"name": name})
}
