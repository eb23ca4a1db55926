package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// ManagementOutputs are the outputs of a stack of kind management that cluster stacks use.
type ManagementOutputs struct {
	// AccountID and Region are its account and region.
	AccountID, Region string
	// IssuerBaseURL precedes "/<infraID>" in a hosted cluster's issuer.
	IssuerBaseURL string
	// ZoneDomain is the domain of the public names that external-dns writes; "" if there is none.
	ZoneDomain string
	// EtcdKeyARN is the key for etcd, "" if there is none; EtcdKeyAccounts are the other accounts that may
	// use it.
	EtcdKeyARN      string
	EtcdKeyAccounts []string
}

// ManagementPath is the config key that names a cluster's management stack.
const ManagementPath = ClusterKey + ".management"

// ReadManagement reads the outputs of the stack of that name; they are nil if there is no such stack.
// It returns a *fault.Fault for the config key cluster.management if the stack is not suitable.
func ReadManagement(stack string, outputs map[string]any) (*ManagementOutputs, error) {
	if err := suitable(ManagementPath, stack, KindManagement, outputs); err != nil {
		return nil, err
	}
	m := &ManagementOutputs{}
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

// suitable returns a fault for the key at path, which names a stack, if outputs are not those of a deployed stack of the kind.
func suitable(path, stack string, wanted Kind, outputs map[string]any) error {
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

// Refers reports whether a stack's name in a config or an output refers to the stack in the project: it is the name
// alone, or "<organization>/<project>/<name>".
func Refers(name, project, stack string) bool {
	return name == stack || strings.HasSuffix(name, "/"+project+"/"+stack)
}

// References returns the names of the stacks that a file names, each after those that it needs itself; nil for no file.
func References(file *File) []string {
	var names []string
	switch {
	case file == nil:
	case file.Cluster != nil:
		names = []string{file.Cluster.Management, file.Cluster.NetworkStack, file.Cluster.IAMStack}
	case file.IAM != nil:
		names = []string{file.IAM.NetworkStack}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
