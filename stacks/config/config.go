// Package config reads and checks a stack's file, Pulumi.<stack>.yaml. Its sections decode directly into the Args of the
// components; the keys, their documentation and the JSON Schema are derived from those structs.
package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/enum"
	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

//go:generate go run ../../internal/configreference ../..

// ProjectName is the name of the Pulumi project of every stack, and the namespace of its config.
const ProjectName = "hypershift-aws"

// Kind is what a stack creates.
type Kind string

const (
	// KindManagement is what the management account needs before HyperShift's operator is installed.
	KindManagement Kind = "management"
	// KindCluster is the AWS resources of one hosted cluster.
	KindCluster Kind = "cluster"
	// KindCAPA is the AWS resources and the objects of one cluster of Cluster API Provider AWS.
	KindCAPA Kind = "capa"
)

// Kinds lists the kinds of stacks.
func Kinds() []Kind { return []Kind{KindManagement, KindCluster, KindCAPA} }

// The config keys of this project, in its namespace.
const (
	KindKey       = ProjectName + ":kind"
	ManagementKey = ProjectName + ":management"
	ClusterKey    = ProjectName + ":cluster"
	WaiversKey    = ProjectName + ":policyWaivers"
	CAPAKey       = ProjectName + ":capa"
)

// sectionKeys returns the keys of the kinds' sections.
func sectionKeys() map[Kind]string {
	return map[Kind]string{KindManagement: ManagementKey, KindCluster: ClusterKey, KindCAPA: CAPAKey}
}

// SectionKeys returns the keys of the sections, in the order of Kinds.
func SectionKeys() []string {
	var keys []string
	for _, kind := range Kinds() {
		keys = append(keys, sectionKeys()[kind])
	}
	return keys
}

// Config is a stack's config, checked and with its defaults filled in.
type Config struct {
	// Kind is the stack's kind.
	Kind Kind
	// Management is the config of a stack of kind management, otherwise nil.
	Management *Management
	// Cluster is the config of a stack of kind cluster, otherwise nil.
	Cluster *Cluster
	// PolicyWaivers are the accepted findings of policies, for a stack of any kind.
	PolicyWaivers []PolicyWaiver
	// CAPA is the config of a stack of kind capa, otherwise nil.
	CAPA *CAPA
}

// Source is where a stack's config comes from.
type Source struct {
	// Stack is the stack's name, and Dir the folder of its file, which files in the config are relative to.
	Stack, Dir string
	// Region is "" if it is not known yet.
	Region string
	// IssuerURL is the issuer of a cluster whose file names none, from a document of HyperShift's CLI; "" without one.
	IssuerURL string
	// Values are the values of the config's keys.
	Values map[string]*yaml.Node
	// Outputs are the inputs that a program sets to outputs of its resources, by the nodes of Values that represent them. A secret of a hosted
	// cluster is always among them, since a file names its location instead.
	Outputs map[*yaml.Node]pulumi.StringInput
}

// section is the config of one kind of stack, under a separate key.
type section[T any] interface {
	// resolve returns a copy with the defaults that need no AWS. region is "" where it is not known yet.
	resolve(stack, region string) T
	// validate returns every fault in a resolved section, by its paths.
	validate(region string) error
}

// New reads and checks a stack's config. Every fault has the path of its value, beginning with the key.
func New(from Source) (*Config, error) {
	var faults fault.Faults
	c := &Config{}
	if node := from.Values[KindKey]; node != nil {
		c.Kind = Kind(node.Value)
	}
	var err error
	c.PolicyWaivers, err = readWaivers(from)
	faults.Join("", err)
	const remedy = "use " + string(KindManagement) + ", " + string(KindCluster) + " or " + string(KindCAPA)
	switch c.Kind {
	case KindManagement:
		management, err := readSection[Management](ManagementKey, "set oidcBucket and operator at least", from)
		c.Management = management
		faults.Join("", err)
		faults.Join("", ofOtherKinds(c.Kind, from.Values))
		return c, faults.Err()
	case KindCAPA:
		read, err := readSection[CAPA](CAPAKey, "use name, kubernetesVersion and network.zones at least", from)
		c.CAPA = read
		faults.Join("", err)
		faults.Join("", ofOtherKinds(c.Kind, from.Values))
		return c, faults.Err()
	case KindCluster:
	case "":
		faults.Add(KindKey, nil, "is missing", remedy)
	default:
		faults.Join(KindKey, enum.OneOf(c.Kind, "is not a kind of stack", Kinds()...))
	}
	cluster, err := readSection[Cluster](ClusterKey, "use name, baseDomain and oidc at least", from)
	c.Cluster = cluster
	faults.Join("", err)
	faults.Join("", ofOtherKinds(KindCluster, from.Values))
	return c, faults.Err()
}

// readSection reads and checks a kind's section, which is required, and returns it with its defaults.
func readSection[T section[T]](key, remedy string, from Source) (*T, error) {
	var decoded T
	node := from.Values[key]
	if node == nil {
		return &decoded, &fault.Fault{Path: key, Problem: "is missing", Remedy: remedy}
	}
	d := newDecoder(from.Dir)
	d.outputs = from.Outputs
	d.decodeSection(node, &decoded)
	if cluster, ok := any(&decoded).(*Cluster); ok {
		cluster.take(from)
	}
	resolved := decoded.resolve(from.Stack, from.Region)
	found := d.faults
	for _, f := range d.redirect(fault.In(resolved.validate(from.Region))) {
		// A value that could not be read is not missing.
		if !covers(found, f.Path) {
			found = append(found, f)
		}
	}
	var faults fault.Faults
	faults.Join(key, found.Err())
	return &resolved, faults.Err()
}

// ofOtherKinds returns a fault for each section of another kind.
func ofOtherKinds(kind Kind, values map[string]*yaml.Node) error {
	var faults fault.Faults
	for _, other := range Kinds() {
		if key := sectionKeys()[other]; other != kind && values[key] != nil {
			faults.Add(key, nil, "is for a stack of kind "+string(other), "leave it out, or correct "+KindKey)
		}
	}
	return faults.Err()
}

// covers reports whether one of the faults is about the value at path, or about a value that contains it.
func covers(faults fault.Faults, path string) bool {
	for _, f := range faults {
		if path == f.Path || strings.HasPrefix(path, f.Path+".") || strings.HasPrefix(path, f.Path+"[") {
			return true
		}
	}
	return false
}

// syntaxLine finds the line in an error of the YAML library, which is only in the message.
var syntaxLine = regexp.MustCompile(`line ([0-9]+): (.*)`)

// ParseYAML reads one document. It returns a fault with the line of a syntax error.
func ParseYAML(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	err := yaml.Unmarshal(text, &document)
	if err == nil {
		if document.Kind == 0 {
			return &yaml.Node{Kind: yaml.MappingNode}, nil
		}
		return document.Content[0], nil
	}
	f := &fault.Fault{Problem: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "), Remedy: "correct the file at this position"}
	if match := syntaxLine.FindStringSubmatch(err.Error()); match != nil {
		_, _ = fmt.Sscan(match[1], &f.Line)
		f.Problem = "is not YAML: " + match[2]
	}
	return nil, f
}
