package stacks

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// Kind is what a stack makes.
type Kind string

const (
	// KindManagement is what the management account needs before HyperShift's operator is installed.
	KindManagement Kind = "management"
	// KindCluster is one hosted cluster's AWS estate.
	KindCluster Kind = "cluster"
)

// Kinds lists the kinds of stacks.
func Kinds() []Kind { return []Kind{KindManagement, KindCluster} }

// The config keys of this project, in its namespace.
const (
	kindKey       = ProjectName + ":kind"
	managementKey = ProjectName + ":management"
	clusterKey    = ProjectName + ":cluster"
)

// Config is a stack's config, checked and with its defaults filled in.
type Config struct {
	// Kind is the stack's kind.
	Kind Kind
	// Management is the config of a stack of kind management, else nil.
	Management *ManagementConfig
	// Cluster is the config of a stack of kind cluster, else nil.
	Cluster *ClusterConfig
}

// source is where a stack's config comes from.
type source struct {
	// stack is the stack's name, and dir the folder of its file, which files in the config are relative to.
	stack, dir string
	// region is "" where it is not known yet.
	region string
	// values are those of the config's keys.
	values map[string]*yaml.Node
}

// section is the config of one kind of stack, under a key of its own.
type section interface {
	// readFiles reads the files that are named in it, relative to dir.
	readFiles(dir string) error
	// complete fills in the defaults that need no AWS. region is "" where it is not known yet.
	complete(stack, region string)
	// validate returns every fault in a completed section, by its paths.
	validate(region string) error
}

// newConfig reads and checks a stack's config. Every fault has the path of its value, from the key on.
func newConfig(from source) (*Config, error) {
	var faults fault.Faults
	c := &Config{}
	if node := from.values[kindKey]; node != nil {
		c.Kind = Kind(node.Value)
	}
	const remedy = "give " + string(KindManagement) + " or " + string(KindCluster)
	switch c.Kind {
	case KindManagement:
		c.Management = &ManagementConfig{}
		faults.Join("", readSection(c.Management, managementKey, "give oidcBucket and operator at least", from))
		faults.Join("", strange(clusterKey, KindCluster, from.values))
		return c, faults.Err()
	case KindCluster:
	case "":
		faults.Add(kindKey, nil, "is missing", remedy)
	default:
		faults.Add(kindKey, string(c.Kind), "is no kind of stack", remedy)
	}
	c.Cluster = &ClusterConfig{}
	faults.Join("", readSection(c.Cluster, clusterKey, "give name, baseDomain and oidc at least", from))
	faults.Join("", strange(managementKey, KindManagement, from.values))
	return c, faults.Err()
}

// readSection reads and checks a kind's section, which must be there.
func readSection(out section, key, remedy string, from source) error {
	node := from.values[key]
	if node == nil {
		return &fault.Fault{Path: key, Problem: "is missing", Remedy: remedy}
	}
	var faults, found fault.Faults
	decode(node, reflect.ValueOf(out).Elem(), "", &found)
	found.Join("", out.readFiles(from.dir))
	out.complete(from.stack, from.region)
	for _, f := range fault.In(out.validate(from.region)) {
		// What could not be read was not missing.
		if !covers(found, f.Path) {
			found = append(found, f)
		}
	}
	faults.Join(key, found.Err())
	return faults.Err()
}

// strange returns a fault for the section of another kind.
func strange(key string, of Kind, values map[string]*yaml.Node) error {
	if values[key] == nil {
		return nil
	}
	return &fault.Fault{Path: key, Problem: "is for a stack of kind " + string(of), Remedy: "leave it out, or correct " + kindKey}
}

// covers says whether one of the faults is of the value at path, or of one that it lies in.
func covers(faults fault.Faults, path string) bool {
	for _, f := range faults {
		if path == f.Path || strings.HasPrefix(path, f.Path+".") || strings.HasPrefix(path, f.Path+"[") {
			return true
		}
	}
	return false
}

// syntaxLine finds the line in an error of the YAML library, which gives it in words alone.
var syntaxLine = regexp.MustCompile(`line ([0-9]+): (.*)`)

func parseYAML(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	err := yaml.Unmarshal(text, &document)
	if err == nil {
		if document.Kind == 0 {
			return &yaml.Node{Kind: yaml.MappingNode}, nil
		}
		return document.Content[0], nil
	}
	f := &fault.Fault{Problem: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "), Remedy: "correct it there"}
	if match := syntaxLine.FindStringSubmatch(err.Error()); match != nil {
		_, _ = fmt.Sscan(match[1], &f.Line)
		f.Problem = "is not YAML: " + match[2]
	}
	return nil, f
}
