package stacks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// Management is what a stack of kind management hands on to the cluster stacks that name it.
type Management struct {
	// AccountID and Region say where it is.
	AccountID, Region string
	// IssuerBaseURL is what stands before "/<infraID>" in a hosted cluster's issuer.
	IssuerBaseURL string
	// ZoneDomain is the domain of the public names that external-dns keeps; "" without.
	ZoneDomain string
	// EtcdKeyARN is the key for etcd, "" without; EtcdKeyAccounts are the accounts beside its own that may
	// use it.
	EtcdKeyARN      string
	EtcdKeyAccounts []string
}

// managementPath is the config key that names a cluster's management stack.
const managementPath = clusterKey + ".management"

// ReadManagement reads the outputs of the stack of that name; they are nil where there is no such stack.
// It returns a *fault.Fault of the config key cluster.management where the stack cannot be referred to.
func ReadManagement(stack string, outputs map[string]any) (*Management, error) {
	problem, remedy := "", "name a stack of kind management"
	kind, _ := outputs["kind"].(string)
	switch {
	case outputs == nil:
		problem, remedy = "names a stack that does not exist", "give one of this project and backend, and bring it up first"
	case len(outputs) == 0:
		problem, remedy = "names a stack that has not been brought up", "run `hypershift-aws up -s "+stack+"` first"
	case kind == "":
		problem = "names a stack that is not this program's"
	case kind != string(KindManagement):
		problem = "names a stack of kind " + kind
	default:
		m := &Management{}
		m.AccountID, _ = outputs["accountID"].(string)
		m.Region, _ = outputs["region"].(string)
		m.IssuerBaseURL, _ = outputs["issuerBaseURL"].(string)
		m.ZoneDomain, _ = outputs["zoneDomain"].(string)
		m.EtcdKeyARN, _ = outputs["etcdKeyARN"].(string)
		accounts, _ := outputs["etcdKeyAccounts"].([]any)
		for _, account := range accounts {
			m.EtcdKeyAccounts = append(m.EtcdKeyAccounts, fmt.Sprint(account))
		}
		return m, nil
	}
	return nil, &fault.Fault{Path: managementPath, Value: stack, Problem: problem, Remedy: remedy}
}

// Refers says whether a stack's name, as a config or an output has it, means the stack of that name in the
// project: it is the bare name, or "<organization>/<project>/<name>".
func Refers(name, project, stack string) bool {
	return name == stack || strings.HasSuffix(name, "/"+project+"/"+stack)
}

// NoKMSKey is the kmsKeyARN that stands for none, whatever key the management stack has.
const NoKMSKey = "none"

// refer makes the providers of the other accounts and reads the management stack, before anything is made.
func (e *estate) refer(ctx *pulumi.Context) error {
	var err error
	if e.accounts, err = e.config.Accounts.providers(ctx, e.region); err != nil {
		return err
	}
	if e.config.Management != "" {
		err = e.readManagement(ctx)
	}
	if e.config.KMSKeyARN == NoKMSKey {
		e.config.KMSKeyARN = ""
	}
	return err
}

func (e *estate) readManagement(ctx *pulumi.Context) error {
	outputs, err := readOutputs(ctx, e.config.Management)
	if err != nil {
		return fmt.Errorf("reading the stack %q, which %s names: %w", e.config.Management, managementPath, err)
	}
	file := FileName(ctx.Stack())
	m, err := ReadManagement(e.config.Management, outputs)
	if err != nil {
		return placed(err, file, nil)
	}
	e.management = *m
	if err := e.checkManagementAccount(ctx); err != nil {
		return err
	}
	own, err := accountID(ctx, nil)
	if err != nil {
		return err
	}
	return placed(e.takeKey(own), file, nil)
}

// readOutputs reads the outputs of another stack that Management needs, through a StackReference. They are
// nil where there is no such stack.
func readOutputs(ctx *pulumi.Context, stack string) (map[string]any, error) {
	name := stack
	if !strings.Contains(name, "/") {
		name = ctx.Organization() + "/" + ctx.Project() + "/" + name
	}
	// A reference to a stack that is not there fails in the engine, in its words; a question fails here.
	var answer struct{}
	err := ctx.Invoke("pulumi:pulumi:readStackOutputs", struct {
		Name string `pulumi:"name"`
	}{name}, &answer)
	if err != nil && strings.Contains(err.Error(), "unknown stack") {
		return nil, nil
	}
	ref, err := pulumi.NewStackReference(ctx, "management", &pulumi.StackReferenceArgs{Name: pulumi.String(name)})
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

// takeKey has the cluster's etcd use the management stack's key, where the config does not say otherwise.
// It returns a fault where the cluster, whose account is own, could not use it.
func (e *estate) takeKey(own string) error {
	m := e.management
	var faults fault.Faults
	switch {
	case e.config.KMSKeyARN != "" || m.EtcdKeyARN == "":
	case m.Region != e.region:
		faults.Add(managementPath, e.config.Management, "has a key for etcd in "+m.Region+", and the cluster is in "+e.region,
			"give kmsKeyARN a key of "+e.region+", or "+NoKMSKey)
	case m.AccountID != own && !slices.Contains(m.EtcdKeyAccounts, own):
		faults.Add(managementPath, e.config.Management, "has a key for etcd that does not admit the cluster's account "+own,
			"add it to etcdKey.accounts of that stack and bring it up, or give kmsKeyARN another key or "+NoKMSKey)
	default:
		e.config.KMSKeyARN = m.EtcdKeyARN
	}
	return faults.Err()
}
