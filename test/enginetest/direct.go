package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// RunDirectly runs a program in new offline accounts without the engine: resources are created when the program registers
// them, and no state is kept. A run takes milliseconds, so that a fuzz test can make many. It fails where the program
// does, or an account refuses something.
func RunDirectly(t *testing.T, program pulumi.RunFunc, options offline.Options, config map[string]string) error {
	t.Helper()
	_, err := RunDenying(t, program, options, config, "")
	return err
}

// RunDenying is RunDirectly in accounts that deny a lookup, by its token, with the error of the bridged provider; "" denies nothing. It returns
// the tokens of the lookups that the program made.
func RunDenying(t *testing.T, program pulumi.RunFunc, options offline.Options, config map[string]string, denied string) (lookups []string, err error) {
	t.Helper()
	server, err := offline.Serve(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	_, after, _ := strings.Cut(server.Providers(), "aws:")
	port, _, _ := strings.Cut(after, ",")
	d := &direct{t: t, address: "127.0.0.1:" + port, instances: map[string]pulumirpc.ResourceProviderClient{}, denied: denied, lookups: map[string]bool{}}
	region := resource.PropertyMap{"region": resource.NewProperty(config["aws:region"])}
	if err := d.configure("", region); err != nil {
		return nil, err
	}
	err = pulumi.RunErr(program, pulumi.WithMocks("hypershift-aws", StackName, d), func(info *pulumi.RunInfo) { info.Config = config })
	return slices.Sorted(maps.Keys(d.lookups)), err
}

// direct creates the resources that a program registers.
type direct struct {
	t       *testing.T
	address string

	mu sync.Mutex
	// instances are the connections to the aws provider, by what the program calls them; "" is the default one.
	instances map[string]pulumirpc.ResourceProviderClient
	// denied is the token of the lookup that fails, and lookups are the tokens of all that were made.
	denied  string
	lookups map[string]bool
}

var _ pulumi.MockResourceMonitor = (*direct)(nil)

// configure connects a provider instance.
func (d *direct) configure(name string, config resource.PropertyMap) error {
	conn, err := grpc.NewClient(d.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	d.t.Cleanup(func() { _ = conn.Close() })
	client := pulumirpc.NewResourceProviderClient(conn)
	args, err := wire(config)
	if err != nil {
		return err
	}
	if _, err := client.Configure(d.t.Context(), &pulumirpc.ConfigureRequest{Args: args}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.instances[name] = client
	return nil
}

// instance returns the one that a reference, "urn::id", names.
func (d *direct) instance(reference string) pulumirpc.ResourceProviderClient {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.instances[reference[strings.LastIndex(reference, ":")+1:]]
}

// NewResource implements pulumi.MockResourceMonitor.
func (d *direct) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	switch {
	case args.TypeToken == "pulumi:providers:aws":
		return args.Name, args.Inputs, d.configure(args.Name, args.Inputs)
	case !strings.HasPrefix(args.TypeToken, "aws:"):
		return args.Name, args.Inputs, nil
	}
	provider := d.instance(args.Provider)
	news, err := wire(args.Inputs)
	if err != nil {
		return "", nil, err
	}
	if args.ID != "" {
		read, err := provider.Read(d.t.Context(), &pulumirpc.ReadRequest{Type: args.TypeToken, Id: args.ID})
		if err != nil {
			return "", nil, err
		}
		state, err := unwire(read.GetProperties())
		return read.GetId(), state, err
	}
	checked, err := provider.Check(d.t.Context(), &pulumirpc.CheckRequest{Type: args.TypeToken, Name: args.Name, News: news, RandomSeed: []byte(args.Name)})
	if err != nil {
		return "", nil, err
	}
	for _, failure := range checked.GetFailures() {
		return "", nil, fmt.Errorf("%s %s: %s: %s", args.TypeToken, args.Name, failure.GetProperty(), failure.GetReason())
	}
	made, err := provider.Create(d.t.Context(), &pulumirpc.CreateRequest{Type: args.TypeToken, Name: args.Name, Properties: checked.GetInputs()})
	if err != nil {
		return "", nil, fmt.Errorf("%s %s: %w", args.TypeToken, args.Name, err)
	}
	state, err := unwire(made.GetProperties())
	return made.GetId(), state, err
}

// Call implements pulumi.MockResourceMonitor.
func (d *direct) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	in, err := wire(args.Args)
	if err != nil {
		return nil, err
	}
	if args.Token == "pulumi:pulumi:readStackOutputs" || args.Token == "pulumi:pulumi:readStackResourceOutputs" {
		return resource.PropertyMap{"outputs": resource.NewProperty(resource.PropertyMap{})}, nil // the stack is new
	}
	d.mu.Lock()
	d.lookups[args.Token] = true
	d.mu.Unlock()
	if args.Token == d.denied {
		return nil, fmt.Errorf("rpc error: code = Unknown desc = invocation of %[1]s returned an error: invoking %[1]s: 1 error occurred:\n\t* reading: "+ //nolint:staticcheck // as the provider writes it
			"https response error StatusCode: 403, AccessDenied: not authorized\n\n", args.Token)
	}
	answer, err := d.instance(args.Provider).Invoke(d.t.Context(), &pulumirpc.InvokeRequest{Tok: args.Token, Args: in})
	if err != nil {
		return nil, err
	}
	return unwire(answer.GetReturn())
}

func wire(m resource.PropertyMap) (*structpb.Struct, error) {
	return plugin.MarshalProperties(m, plugin.MarshalOptions{KeepUnknowns: true})
}

func unwire(s *structpb.Struct) (resource.PropertyMap, error) {
	return plugin.UnmarshalProperties(s, plugin.MarshalOptions{})
}
