package stacks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// refer registers the providers of the other accounts and reads the outputs of the management stack.
func (e *clusterProgram) refer(ctx *pulumi.Context) error {
	var err error
	if input.IsSet(e.config.KMSKeyARN) {
		e.kmsKeyARN = e.config.KMSKeyARN
	}
	if e.accounts, err = registerAccounts(ctx, e.config.Accounts, e.region, e.place.top...); err != nil {
		return err
	}
	if e.config.Management != "" {
		err = e.readManagement(ctx)
	}
	if input.Text(e.kmsKeyARN) == config.NoKMSKey {
		e.kmsKeyARN = nil
	}
	return err
}

func (e *clusterProgram) readManagement(ctx *pulumi.Context) error {
	outputs, err := readOutputs(ctx, e.config.Management, e.place.top...)
	if err != nil {
		return fmt.Errorf("reading the stack %q, which %s names: %w", e.config.Management, config.ManagementPath, err)
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
	return e.place.origin.Placed(e.takeKey(own))
}

// readOutputs reads the outputs of a management stack through a StackReference. They are nil if the stack does not
// exist.
func readOutputs(ctx *pulumi.Context, stack string, opts ...pulumi.ResourceOption) (map[string]any, error) {
	name := stack
	if !strings.Contains(name, "/") {
		name = ctx.Organization() + "/" + ctx.Project() + "/" + name
	}
	// A reference to a stack that does not exist fails in the engine, with a less clear error; a lookup fails here.
	var answer struct{}
	err := ctx.Invoke("pulumi:pulumi:readStackOutputs", struct {
		Name string `pulumi:"name"`
	}{name}, &answer)
	if err != nil && strings.Contains(err.Error(), "unknown stack") {
		return nil, nil
	}
	ref, err := pulumi.NewStackReference(ctx, "management", &pulumi.StackReferenceArgs{Name: pulumi.String(name)}, opts...)
	if err != nil {
		return nil, err
	}
	outputs := map[string]any{}
	for _, name := range []string{"kind", "accountID", "region", "issuerBaseURL", "zoneDomain", "etcdKeyARN", "etcdKeyAccounts"} {
		output, err := ref.GetOutputDetails(name)
		if err != nil {
			return nil, err
		}
		if output.Value != nil {
			outputs[name] = output.Value
		}
	}
	return outputs, nil
}

// takeKey uses the management stack's key for etcd, unless the config sets kmsKeyARN. It returns a fault if the cluster, whose
// account is own, could not use the key.
func (e *clusterProgram) takeKey(own string) error {
	m := e.management
	var faults fault.Faults
	switch {
	case e.kmsKeyARN != nil || m.EtcdKeyARN == "":
	case m.Region != e.region:
		faults.Add(config.ManagementPath, e.config.Management, "has a key for etcd in "+m.Region+", but the cluster is in "+e.region,
			"set kmsKeyARN to a key of "+e.region+", or "+config.NoKMSKey)
	case m.AccountID != own && !slices.Contains(m.EtcdKeyAccounts, own):
		faults.Add(config.ManagementPath, e.config.Management, "has a key for etcd that does not allow the cluster's account "+own,
			"add the account to etcdKey.accounts of that stack and update the stack, or use another kmsKeyARN or "+config.NoKMSKey)
	default:
		e.kmsKeyARN = pulumi.String(m.EtcdKeyARN)
	}
	return faults.Err()
}
