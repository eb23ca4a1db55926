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

// KindCluster is one hosted cluster's AWS estate.
const KindCluster Kind = "cluster"

// Kinds lists the kinds of stacks.
func Kinds() []Kind { return []Kind{KindCluster} }

// The config keys of this project, in its namespace.
const (
	kindKey    = ProjectName + ":kind"
	clusterKey = ProjectName + ":cluster"
)

// Config is a stack's config, checked and with its defaults filled in.
type Config struct {
	// Kind is the stack's kind.
	Kind Kind
	// Cluster is the config of a stack of kind cluster.
	Cluster *ClusterConfig
}

// newConfig reads the config from the values of its keys. Every fault has the path of its value, from
// the key on.
func newConfig(stack, region string, values map[string]*yaml.Node) (*Config, error) {
	var faults fault.Faults
	c := &Config{Cluster: &ClusterConfig{}}
	if node := values[kindKey]; node != nil {
		c.Kind = Kind(node.Value)
	}
	switch c.Kind {
	case KindCluster:
	case "":
		faults.Add(kindKey, nil, "is missing", "give "+string(KindCluster))
	default:
		faults.Add(kindKey, string(c.Kind), "is no kind of stack", "give "+string(KindCluster))
	}
	node := values[clusterKey]
	if node == nil {
		faults.Add(clusterKey, nil, "is missing", "give name, baseDomain and oidc at least")
		return nil, faults.Err()
	}
	var found fault.Faults
	decode(node, reflect.ValueOf(c.Cluster).Elem(), "", &found)
	c.Cluster.complete(stack, region)
	for _, f := range fault.In(c.Cluster.validate(region)) {
		// What could not be read was not missing.
		if !covers(found, f.Path) {
			found = append(found, f)
		}
	}
	faults.Join(clusterKey, found.Err())
	return c, faults.Err()
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
