// Package trial runs a stack's program without the engine, within milliseconds, and returns the resources that the
// program registers. An AWS provider that the caller names answers its lookups. Nothing is created.
package trial

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// Options are the inputs of a program's run.
type Options struct {
	Project, Stack string
	Program        pulumi.RunFunc
	// Config is the stack's config, as the engine passes it to the program.
	Config map[string]string
	// Settings are the settings of the stack's own AWS provider.
	Settings map[string]any
	// Address is the address of an AWS provider, "127.0.0.1:1234". Each connection to it is a provider instance.
	Address string
	// Reference returns the outputs of a stack that the program refers to, by the name that the program uses; nil for
	// none.
	Reference func(stack string) map[string]any
	// Outputs are the outputs of the stack's own last update, nil for a new stack.
	Outputs map[string]any
	// Resources are the resources in the stack's state, by URN, each with its type and its outputs.
	Resources map[string]any
	// Stashed are the values that the stack's state has in its Stashes, by the names of these. A Stash that is not here is
	// a new one.
	Stashed map[string]map[string]any
	// Known are the IDs of resources that exist, by URN.
	Known map[string]string
	// Create has the AWS provider create the resources, as an update does. The engine records no state of them.
	Create bool
	// Lookup is called before each lookup of AWS, by its token. The lookup fails with the error that it returns.
	Lookup func(token string) error
}

// Resource is a resource that the program registers.
type Resource struct {
	URN, Type, ID string
	// Parent is the URN of the parent, and Custom is false for a component, which only a run with Create returns.
	Parent string
	Custom bool
	// Provider is the name under which the program registers the resource's provider, "" for the stack's own.
	Provider string
	// Inputs are its inputs; values that are known only after another resource is created are plugin.UnknownStringValue.
	// With Create, they are the inputs as the provider has checked them, with the markers of secrets.
	Inputs map[string]any
	// From lists, by an input's name, the URNs of the resources that the input depends on.
	From map[string][]string
}

// Run runs the program as a preview does, or with Create as an update does, and returns the resources of AWS and
// Kubernetes that it registers, in no particular order.
func Run(ctx context.Context, o Options) ([]Resource, error) {
	m := &monitor{o: o, instances: map[string]pulumirpc.ResourceProviderClient{}}
	defer m.close()
	if err := m.configure(ctx, "", resource.NewPropertyMapFromMap(o.Settings)); err != nil {
		return nil, err
	}
	end := make(chan bool)
	served, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: end,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterResourceMonitorServer(server, m)
			pulumirpc.RegisterEngineServer(server, &engine{})
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("serving the program of stack %s: %w", o.Stack, err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", served.Port)
	err = m.run(ctx, address)
	close(end)
	if err = errors.Join(err, <-served.Done); err != nil {
		return nil, fmt.Errorf("running the program of stack %s: %w", o.Stack, err)
	}
	return m.resources, nil
}

// run runs the program with the engine at an address. A panic of the program is an error.
func (m *monitor) run(ctx context.Context, address string) (err error) {
	program, err := pulumi.NewContext(ctx, pulumi.RunInfo{
		Project: m.o.Project, Stack: m.o.Stack, Config: m.o.Config, DryRun: !m.o.Create, MonitorAddr: address,
		EngineAddr: address,
	})
	if err != nil {
		return err
	}
	defer program.Close() //nolint:errcheck // the server ends with the connection
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the program panicked: %v", r)
		}
	}()
	return pulumi.RunWithContext(program, m.o.Program)
}
