package config

import (
	"fmt"
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
	problem, remedy := "", "use a stack of kind management"
	kind, _ := outputs["kind"].(string)
	switch {
	case outputs == nil:
		problem, remedy = "names a stack that does not exist", "use a stack of this project and backend, and deploy it first"
	case len(outputs) == 0:
		problem, remedy = "names a stack that has not been deployed", "run `hypershift-aws up -s "+stack+"` first"
	case kind == "":
		problem = "names a stack of another program"
	case kind != string(KindManagement):
		problem = "names a stack of kind " + kind
	default:
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
	return nil, &fault.Fault{Path: ManagementPath, Value: stack, Problem: problem, Remedy: remedy}
}

// Refers reports whether a stack's name in a config or an output refers to the stack in the project: it is the name
// alone, or "<organization>/<project>/<name>".
func Refers(name, project, stack string) bool {
	return name == stack || strings.HasSuffix(name, "/"+project+"/"+stack)
}
