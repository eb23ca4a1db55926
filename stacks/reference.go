package stacks

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// refer registers the providers of the other accounts and reads the outputs of the management stack. It refuses a key
// for etcd that differs from the last update's.
func (e *clusterProgram) refer(ctx *pulumi.Context) error {
	last, err := readLastUpdate(ctx)
	if err != nil {
		return err
	}
	if err := e.readParts(ctx); err != nil {
		return err
	}
	if e.accounts, err = registerAccounts(ctx, e.config.Accounts, e.region, e.place.top...); err != nil {
		return err
	}
	if e.config.Management != "" {
		if !last.exists {
			if last, err = readLastHostedCluster(ctx); err != nil {
				return err
			}
		}
		if err := e.readManagement(ctx, last); err != nil {
			return err
		}
	}
	if err := e.decideAPIServerRoute(ctx, last); err != nil {
		return err
	}
	if err := e.checkPrivateRegion(); err != nil {
		return e.place.origin.placed(err)
	}
	switch explicit := e.config.KMSKeyARN; {
	case input.Text(explicit) == config.NoKMSKey:
	case input.IsSet(explicit):
		e.kmsKeyARN = explicit
	case e.management.EtcdKeyARN != "":
		e.kmsKeyARN = pulumi.String(e.management.EtcdKeyARN)
	}
	if err := e.place.origin.placed(e.keepKey(last)); err != nil {
		return err
	}
	return e.place.origin.placed(e.keepSigningKey(last))
}

func (e *clusterProgram) readManagement(ctx *pulumi.Context, last lastUpdate) error {
	outputs, err := readOutputs[config.ManagementOutputs](ctx, config.ManagementPath, "management", e.config.Management,
		e.place.top...)
	if err != nil {
		return err
	}
	m, err := ReadManagement(e.config.Management, outputs)
	if err != nil {
		return e.place.origin.placed(err)
	}
	e.management = *m
	if err := e.checkManagementAccount(ctx); err != nil {
		return err
	}
	own, err := e.place.account(ctx, nil)
	if err != nil {
		return err
	}
	first, err := e.first(last, own)
	if err != nil {
		return e.place.origin.placed(err)
	}
	return e.inherit(ctx, first)
}

// referenced are the outputs of a stack that another stack's config names. The tags of the fields are the names of the
// outputs.
type referenced interface {
	config.ManagementOutputs | networkPart | iamPart
}

// outputNames returns the names of the outputs that are read of a stack, with its kind.
func outputNames[T referenced]() []string {
	names := []string{"kind"}
	for field := range reflect.TypeFor[T]().Fields() {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}

// readOutputs reads the outputs of the stack that the key at path names, as far as T has them, through a StackReference
// whose name is resource. They are nil if the stack does not exist.
func readOutputs[T referenced](
	ctx *pulumi.Context,
	path, resource, stack string,
	opts ...pulumi.ResourceOption,
) (_ map[string]any, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading the stack %q, which %s names: %w", stack, path, err)
		}
	}()
	name := qualified(ctx, stack)
	// A reference to a stack that does not exist fails in the engine, with a less clear error; a lookup does not.
	if found, err := stackOutputs(ctx, name); err == nil && found == nil {
		return nil, nil
	}
	return outputs.OfStack(ctx, resource, name, outputNames[T](), opts...)
}

// qualified returns the name of a stack with its organization and project. By default, both are the program's.
func qualified(ctx *pulumi.Context, stack string) string {
	if strings.Contains(stack, "/") {
		return stack
	}
	return ctx.Organization() + "/" + ctx.Project() + "/" + stack
}

// stackOutputs looks up the outputs of a stack in its last state, nil if the stack does not exist.
func stackOutputs(ctx *pulumi.Context, name string) (map[string]any, error) {
	var answer struct {
		Outputs map[string]any `pulumi:"outputs"`
	}
	// Some outputs are secrets, which the usual call refuses. Callers use none of them.
	exists, err := readState(ctx, "pulumi:pulumi:readStackOutputs", struct {
		Name string `pulumi:"name"`
	}{name}, &answer)
	switch {
	case err != nil || !exists:
		return nil, err
	case answer.Outputs == nil:
		return map[string]any{}, nil
	}
	return answer.Outputs, nil
}

// readState calls a function of the engine that reads the state of a stack, and reports whether the stack exists. The
// engine may be writing the state of the program's own stack at the same time, and a folder's backend then has an empty
// file beside it for a moment.
func readState(ctx *pulumi.Context, token string, args, answer any) (exists bool, err error) {
	for wait := 10 * time.Millisecond; ; wait *= 2 {
		_, err = ctx.InvokePackageRaw(token, args, answer, "")
		switch {
		case err == nil:
			return true, nil
		case strings.Contains(err.Error(), "unknown stack"):
			return false, nil
		case !strings.HasSuffix(err.Error(), "failed to load checkpoint: EOF") || wait > time.Second:
			return false, err
		}
		time.Sleep(wait)
	}
}

// ReadManagement reads the outputs of the stack of that name; they are nil if there is no such stack.
// It returns a *fault.Fault for the config key cluster.management if the stack is not suitable.
func ReadManagement(stack string, outputs map[string]any) (*config.ManagementOutputs, error) {
	return decodeOutputs[config.ManagementOutputs](config.ManagementPath, stack, config.KindManagement, outputs)
}

// decodeOutputs decodes the outputs of a stack of a kind, which the key at path names. It returns a *fault.Fault if the
// stack is not suitable.
func decodeOutputs[T referenced](path, stack string, kind config.Kind, outputs map[string]any) (*T, error) {
	if err := suitable(path, stack, kind, outputs); err != nil {
		return nil, err
	}
	text, err := json.Marshal(outputs)
	if err != nil {
		return nil, err
	}
	read := new(T)
	if err := json.Unmarshal(text, read); err != nil {
		return nil, &fault.Fault{
			Path: path, Value: stack, Problem: "names a stack with unknown outputs: " + err.Error(),
			Remedy: "run `hypershift-aws up -s " + stack + "` first",
		}
	}
	return read, nil
}

// suitable returns a fault for the key at path, which names a stack, if that stack isn't deployed or is of another
// kind.
func suitable(path, stack string, wanted config.Kind, outputs map[string]any) error {
	problem, remedy := "", "use a stack of kind "+string(wanted)
	kind, _ := outputs["kind"].(string)
	switch {
	case outputs == nil:
		problem, remedy = "names a stack that does not exist", "use a stack of this project and backend, and deploy it first"
	case len(outputs) == 0:
		problem, remedy = "names a stack that has not been deployed", "run `hypershift-aws up -s "+stack+"` first"
	case kind == "":
		problem = "names a stack of another program"
	case kind != string(wanted):
		problem = "names a stack of kind " + kind
	default:
		return nil
	}
	return &fault.Fault{Path: path, Value: stack, Problem: problem, Remedy: remedy}
}
