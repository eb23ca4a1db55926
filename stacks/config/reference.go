package config

import (
	"slices"
	"strings"
)

// ManagementOutputs are the outputs of a stack of kind management that cluster stacks use.
type ManagementOutputs struct {
	// AccountID and Region are its account and region.
	AccountID string `json:"accountID"`
	Region    string `json:"region"`
	// BucketName is the name of its OIDC bucket.
	BucketName string `json:"bucketName"`
	// IssuerBaseURL precedes "/<infraID>" in a hosted cluster's issuer.
	IssuerBaseURL string `json:"issuerBaseURL"`
	// ZoneDomain is the domain of the public names that external-dns writes; "" if there is none.
	ZoneDomain string `json:"zoneDomain"`
	// EtcdKeyARN is the key for etcd, "" if there is none; EtcdKeyAccounts are the other accounts that may
	// use it.
	EtcdKeyARN      string   `json:"etcdKeyARN"`
	EtcdKeyAccounts []string `json:"etcdKeyAccounts"`
}

// ManagementPath is the config key that names a cluster's management stack.
const ManagementPath = ClusterKey + ".management"

// Refers reports whether a stack's name in a config or an output refers to the stack in the project: it is the name
// alone, or "<organization>/<project>/<name>".
func Refers(name, project, stack string) bool {
	return name == stack || strings.HasSuffix(name, "/"+project+"/"+stack)
}

// RefersFrom is like Refers for a name in a config or an output of a stack in the project from: a name without a
// project is a stack of the same project.
func RefersFrom(from, name, project, stack string) bool {
	return Refers(name, project, stack) && (from == project || strings.Contains(name, "/"))
}

// References returns the names of the stacks that a file names, each after those that it needs itself; nil for no file.
func References(file *File) []string {
	referring := As[ReferringSection](file)
	if referring == nil {
		return nil
	}
	management, parts := referring.ReferredStacks()
	return named(append([]string{management}, parts...))
}

// ManagementStack returns the name of the management stack that a file names, "" if it names none, and for no file.
func ManagementStack(file *File) string {
	referring := As[ReferringSection](file)
	if referring == nil {
		return ""
	}
	management, _ := referring.ReferredStacks()
	return management
}

// named returns the names without those that are "", nil if there are no others.
func named(names []string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 0 {
		return nil
	}
	return names
}
