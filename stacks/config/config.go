// Package config defines the config of a stack: a value that a program gives (Content), or a file, Pulumi.<stack>.yaml,
// that it reads and checks. A section is a struct, such as Cluster, and decodes directly into the Args of the
// components. The keys, their documentation and the JSON Schema are derived from those structs. Errors list every
// fault, with its path, value and remedy.
package config

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

//go:generate go run ../../internal/schema/generate ../..

// ProjectName is the name of the Pulumi project of every stack, and the namespace of its config.
const ProjectName = "hypershift-aws"

// Kind is the name of a kind of stack: the value of KindKey, and the name of its section.
type Kind string

const (
	// KindManagement creates what the management account needs before HyperShift's operator is installed.
	KindManagement Kind = "management"
	// KindCluster is the AWS resources of one hosted cluster.
	KindCluster Kind = "cluster"
	// KindCAPA is the AWS resources and the objects of one cluster of Cluster API Provider AWS.
	KindCAPA Kind = "capa"
	// KindNetwork is the network of one hosted cluster, for a cluster stack that names it.
	KindNetwork Kind = "network"
	// KindIAM is the roles of one hosted cluster, for a cluster stack that names it.
	KindIAM Kind = "iam"
	// KindNodePools is node pools of a HostedCluster that another stack or tool owns.
	KindNodePools Kind = "nodePools"
)

// Key returns the config key of the kind's section.
func (k Kind) Key() string { return ProjectName + ":" + string(k) }

// The config keys of this project, in its namespace.
const (
	KindKey       = ProjectName + ":kind"
	ManagementKey = ProjectName + ":" + string(KindManagement)
	ClusterKey    = ProjectName + ":" + string(KindCluster)
	WaiversKey    = ProjectName + ":policyWaivers"
	AllowKey      = ProjectName + ":allow"
	PolicyKey     = ProjectName + ":policy"
	CAPAKey       = ProjectName + ":" + string(KindCAPA)
)

// Section is the config of one stack: the keys of its kind's section.
type Section interface {
	// Resolve sets the values that come from outside the section, and the defaults that need no AWS.
	Resolve(from Source)
	// Validate returns every fault in a resolved section, by its path. region is "" if it is not known yet.
	Validate(region string) error
	// ManagementCluster returns the kubeconfig of the management cluster that the stack applies objects to, nil if it
	// applies none.
	ManagementCluster() *Kubeconfig
	// Existing lists the resources in the stack's account that the section refers to. m are the outputs of the management
	// stack that it names; nil if there is none, or if they are not known.
	Existing(m *ManagementOutputs) []Existing
	// NoEffect lists the keys of a valid section that have no effect beside the others, or one that hardly anybody wants,
	// each with what to do instead.
	// The program and the CLI name them.
	NoEffect() fault.Faults
}

// Definition is a kind of stack as its file describes it.
type Definition struct {
	// Kind is the value of the key hypershift-aws:kind.
	Kind Kind
	// Least is the remedy for a missing section: its required keys.
	Least string
	// Section returns an empty section, a pointer to the struct that the section is decoded into.
	Section func() Section
	// KubeconfigKey is the config key of the kubeconfig of such a stack, below the project's namespace. Default: the
	// kind's name.
	KubeconfigKey string
	// Instead tells what to use instead of such a stack for an operation on a hosted cluster. Default: a stack of kind
	// cluster.
	Instead string
	// HostsControlPlanes is true if control planes of hosted clusters run in the management cluster of such a stack: its
	// VPC has to cover the zones of the clusters.
	HostsControlPlanes bool
	// Referred is true if other stacks may name such a stack, and need it while they exist.
	Referred bool
}

// Kinds are the kinds of stacks that a file may describe.
type Kinds []Definition

// Names returns the names of the kinds.
func (kinds Kinds) Names() []Kind {
	var names []Kind
	for _, d := range kinds {
		names = append(names, d.Kind)
	}
	return names
}

// Definition returns the definition of a kind, the zero value if there is none.
func (kinds Kinds) Definition(kind Kind) Definition {
	if i := slices.IndexFunc(kinds, func(d Definition) bool { return d.Kind == kind }); i >= 0 {
		return kinds[i]
	}
	return Definition{}
}

// of returns the definition of a kind. For an unknown kind it returns KindCluster's, so that the file's other faults
// are reported too.
func (kinds Kinds) of(kind Kind) Definition {
	if d := kinds.Definition(kind); d.Section != nil {
		return d
	}
	return kinds.Definition(KindCluster)
}

// Config is a stack's config, checked and with its defaults filled in.
type Config struct {
	// Kind is the stack's kind.
	Kind Kind
	// Section is the config of that kind.
	Section Section
	// PolicyWaivers are the accepted findings of policies, for a stack of any kind.
	PolicyWaivers []forecast.PolicyWaiver
	// Allowed are the resources that updates may replace or delete, for a stack of any kind.
	Allowed []Allowed
	// Policy decides if an update that violates a policy is refused, for a stack of any kind.
	Policy Enforcement

	embedded fault.Faults
}

// judgedByServer is a section with objects that the API of its management cluster judges, not New.
type judgedByServer interface {
	// validateEmbedded returns the faults of Validate if the embedded API judges the objects.
	validateEmbedded(region string) error
}

// Embedded returns the faults that HyperShift's embedded API finds in objects for a management cluster, whose own API
// decides. They are errors where no management cluster is read.
func (c *Config) Embedded() error { return c.embedded.Err() }

// ManagementCluster returns the kubeconfig of the management cluster that the stack applies objects to, nil if it
// applies none.
func (c *Config) ManagementCluster() *Kubeconfig { return c.Section.ManagementCluster() }

// NoEffect lists the keys of the config that have no effect, by their paths.
func (c *Config) NoEffect() fault.Faults {
	var faults fault.Faults
	faults.Join(c.Kind.Key(), c.Section.NoEffect().Err())
	return faults
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
	// Outputs are the inputs that a program sets to outputs of its resources, by the nodes of Values that represent them.
	// A secret of a hosted cluster is always among them, since a file names its location instead.
	Outputs map[*yaml.Node]pulumi.StringInput
	// Secrets are the secrets of a Content, whose text is Values.
	Secrets Secrets
}

// New reads and checks a stack's config. Every fault has the path of its value, beginning with the key.
func (kinds Kinds) New(from Source) (*Config, error) {
	var faults fault.Faults
	c := &Config{}
	if node := from.Values[KindKey]; node != nil {
		c.Kind = Kind(node.Value)
	}
	faults.Join("", c.readShared(from))
	var given []Kind
	for _, name := range kinds.Names() {
		if from.Values[name.Key()] != nil {
			given = append(given, name)
		}
	}
	kind := kinds.of(c.Kind)
	if unknown := fault.In(enum.OneOf(c.Kind, "is not a kind of stack", kinds.Names()...)); unknown != nil {
		if c.Kind == "" {
			unknown[0].Value, unknown[0].Problem = nil, missing
		}
		if len(given) == 1 {
			kind, unknown[0].Remedy = kinds.of(given[0]), "use "+string(given[0])+", whose section the file has"
		}
		faults.Join(KindKey, unknown.Err())
		if c.Section = kind.Section(); len(given) != 1 {
			return c, faults.Err() // which section the stack needs is not known
		}
	}
	c.Section = kind.Section()
	embedded, err := read(kind, c.Section, from)
	faults.Join(kind.Kind.Key(), err)
	c.embedded.Join(kind.Kind.Key(), embedded.Err())
	for _, other := range given {
		if other != kind.Kind {
			faults.Add(other.Key(), nil, "is only allowed in stacks of kind "+string(other), "leave it out, or correct "+KindKey)
		}
	}
	return c, faults.Err()
}

// missing is the problem of a key that a file needs.
const missing = "is missing"

// read decodes and checks a kind's section, which is required, and sets its defaults. embedded are those of
// Config.Embedded.
func read(kind Definition, section Section, from Source) (embedded fault.Faults, err error) {
	node := from.Values[kind.Kind.Key()]
	if node == nil {
		return nil, &fault.Fault{Problem: missing, Remedy: kind.Least}
	}
	d := newDecoder(from.Dir, from.Region)
	d.outputs, d.secrets = from.Outputs, from.Secrets
	d.decodeSection(node, section)
	section.Resolve(from)
	found := d.faults
	for _, f := range d.redirect(fault.In(section.Validate(from.Region))) {
		// A value that could not be read is not missing.
		if !covers(found, f.Path) {
			found = append(found, f)
		}
	}
	if objects, is := section.(judgedByServer); is && len(found) == 0 {
		embedded = d.redirect(fault.In(objects.validateEmbedded(from.Region)))
	}
	return embedded, found.Err()
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

// SchemaFile is the name of the file with the JSON Schema. A stack's file refers to it.
const SchemaFile = "hypershift-aws.schema.json"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 7) of a stack's file, Pulumi.<stack>.yaml.
func Schema() []byte { return schema }

// noObjects returns the fault of a section whose objects are not applied because it names no management cluster.
func noObjects(path string) fault.Faults {
	return fault.Faults{{
		Path: path, Problem: "is described, not applied: no management cluster is named",
		Remedy: "set kubeconfig, or use `hypershift-aws render`",
	}}
}

// NoEffect implements Section.
func (c *Cluster) NoEffect() fault.Faults {
	var faults fault.Faults
	if c.HostedCluster != nil && c.HostedCluster.Kubeconfig == nil {
		faults = append(faults, noObjects("hostedCluster")...)
	}
	const public = "has no effect with endpointAccess Public, which has no PrivateLink"
	if c.PrivateLink != nil && !c.EndpointAccess.HasPrivate() {
		faults.Add("privateLink", nil, public, "leave it out, or set endpointAccess: PublicAndPrivate or Private")
	}
	network := c.network()
	faults.Join("network", network.Doubts())
	if c.HostedCluster != nil {
		faults.Join("hostedCluster", c.HostedCluster.OverriddenPoolTags(c.Tags))
		faults.Join("hostedCluster", c.HostedCluster.PublicNetworks())
	}
	switch {
	case len(c.APIAccess.CIDRs) == 0:
	case c.HostedCluster == nil:
		faults.Add("apiAccess.cidrs", nil, "has no effect without hostedCluster, which has the control plane's spec",
			"set it in the HostedCluster that you apply, or leave it out")
	case !c.EndpointAccess.HasPublic():
		faults.Add("apiAccess.cidrs", nil, "has no effect with endpointAccess Private: nobody connects over the internet",
			"leave it out")
	}
	if c.HostedCluster != nil && len(c.HostedCluster.AdditionalAllowedPrincipals) > 0 && !c.EndpointAccess.HasPrivate() {
		faults.Add("hostedCluster.additionalAllowedPrincipals", nil, public,
			"leave it out, or set endpointAccess: PublicAndPrivate or Private")
	}
	return faults
}

// NoEffect implements Section.
func (c *CAPA) NoEffect() fault.Faults {
	if c.Kubeconfig == nil {
		return noObjects("")
	}
	return nil
}

// NoEffect implements Section.
func (m *Management) NoEffect() fault.Faults {
	var faults fault.Faults
	if m.Kubeconfig == nil && m.Operator.ExistingNamespace {
		faults.Add("operator.existingNamespace", nil, "has no effect without a management cluster",
			"set kubeconfig, or leave it out")
	}
	return faults
}

// NoEffect implements Section. Every key of a network has an effect, or is refused, but a CIDR may be wrong.
func (n *Network) NoEffect() fault.Faults {
	var faults fault.Faults
	network := n.OfCluster().network()
	faults.Join("network", network.Doubts())
	return faults
}

// NoEffect implements Section. Every key of the roles has an effect, or is refused.
func (*IAM) NoEffect() fault.Faults { return nil }

// NoEffect implements Section. The section needs a management cluster.
func (*NodePools) NoEffect() fault.Faults { return nil }
