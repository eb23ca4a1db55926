package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
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

// Referenced are the outputs of a stack that another stack's config names. The tags of the fields are the names of the outputs.
type Referenced interface {
	ManagementOutputs | NetworkOutputs | IAMOutputs
}

// OutputNames returns the names of the outputs that are read of a stack, with its kind.
func OutputNames[T Referenced]() []string {
	names := []string{"kind"}
	for field := range reflect.TypeFor[T]().Fields() {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}

// readOutputs reads the outputs of a stack of a kind, which the key at path names. It returns a *fault.Fault if the stack is not suitable.
func readOutputs[T Referenced](path, stack string, kind Kind, outputs map[string]any) (*T, error) {
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
			Path: path, Value: stack, Problem: "names a stack with unknown outputs: " + err.Error(), Remedy: "run `hypershift-aws up -s " + stack + "` first",
		}
	}
	return read, nil
}

// ManagementPath is the config key that names a cluster's management stack.
const ManagementPath = ClusterKey + ".management"

// ReadManagement reads the outputs of the stack of that name; they are nil if there is no such stack.
// It returns a *fault.Fault for the config key cluster.management if the stack is not suitable.
func ReadManagement(stack string, outputs map[string]any) (*ManagementOutputs, error) {
	return readOutputs[ManagementOutputs](ManagementPath, stack, KindManagement, outputs)
}

// suitable returns a fault for the key at path, which names a stack, if that stack isn't deployed or is of another kind.
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

// RefersFrom is like Refers for a name in a config or an output of a stack in the project from: a name without a project is a stack of the same
// project.
func RefersFrom(from, name, project, stack string) bool {
	return Refers(name, project, stack) && (from == project || strings.Contains(name, "/"))
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
