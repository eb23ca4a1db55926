package stacks

import (
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/anyoutput"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// refer registers the providers of the other accounts and reads the outputs of the management stack. It refuses a key for etcd that differs from the
// last update's.
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
	switch explicit := e.config.KMSKeyARN; {
	case input.Text(explicit) == config.NoKMSKey:
	case input.IsSet(explicit):
		e.kmsKeyARN = explicit
	case e.management.EtcdKeyARN != "":
		e.kmsKeyARN = pulumi.String(e.management.EtcdKeyARN)
	}
	if err := e.place.origin.Placed(e.keepKey(last)); err != nil {
		return err
	}
	return e.place.origin.Placed(e.keepSigningKey(last))
}

func (e *clusterProgram) readManagement(ctx *pulumi.Context, last lastUpdate) error {
	outputs, err := readOutputs[config.ManagementOutputs](ctx, config.ManagementPath, "management", e.config.Management, e.place.top...)
	if err != nil {
		return err
	}
	m, err := config.ReadManagement(e.config.Management, outputs)
	if err != nil {
		return e.place.origin.Placed(err)
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
		return e.place.origin.Placed(err)
	}
	return e.inherit(ctx, first)
}

// readOutputs reads the outputs of the stack that the key at path names, as far as T has them, through a StackReference whose name is resource.
// They are nil if the stack does not exist.
func readOutputs[T config.Referenced](ctx *pulumi.Context, path, resource, stack string, opts ...pulumi.ResourceOption) (_ map[string]any, err error) {
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
	return anyoutput.OfStack(ctx, resource, name, config.OutputNames[T](), opts...)
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

// readState calls a function of the engine that reads the state of a stack, and reports whether the stack exists. The engine may be writing the
// state of the program's own stack at the same time, and a folder's backend then has an empty file beside it for a moment.
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
