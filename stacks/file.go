package stacks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// File is what Pulumi.<stack>.yaml says, checked.
type File struct {
	Config
	// Path is the file's path.
	Path string
	// Region is aws:region or else that of the environment, AWS_REGION or AWS_DEFAULT_REGION; "" where
	// only AWS's SDK knows it.
	Region string
	// SecretsProvider is the file's secretsprovider, "" for a passphrase.
	SecretsProvider string
	// root is the file's content.
	root *yaml.Node
}

// Placed gives the faults that err carries, of the file's config, their place in the file.
func (f *File) Placed(err error) error { return placed(err, f.Path, f.root) }

// FileName is the name of a stack's file.
func FileName(stack string) string { return "Pulumi." + stack + ".yaml" }

// LoadFile reads and checks a stack's file in dir. It returns fault.Faults, with file and line, for all
// that is wrong with it, and an error that is fs.ErrNotExist where there is none.
func LoadFile(dir, stack string) (*File, error) {
	path := filepath.Join(dir, FileName(stack))
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the config of stack %q: %w", stack, err)
	}
	f := &File{Path: path}
	root, err := parseYAML(text)
	if err != nil {
		return nil, placed(err, path, nil)
	}
	f.root = root
	return f, placed(f.read(root, stack), path, root)
}

func (f *File) read(root *yaml.Node, stack string) error {
	var faults fault.Faults
	if !expect(root, yaml.MappingNode, false, "", &faults) {
		return faults.Err()
	}
	values := map[string]*yaml.Node{}
	eachKey(root, "", &faults, func(key, value *yaml.Node) {
		switch key.Value {
		case "secretsprovider":
			f.SecretsProvider = value.Value
		case "config":
			if value.Tag != "!!null" && expect(value, yaml.MappingNode, false, "config", &faults) {
				eachKey(value, "", &faults, func(key, value *yaml.Node) { readKey(key.Value, value, values, &faults) })
			}
		}
	})
	if node := values["aws:region"]; node != nil {
		f.Region = node.Value
	} else if f.Region = os.Getenv("AWS_REGION"); f.Region == "" {
		f.Region = os.Getenv("AWS_DEFAULT_REGION")
	}
	if f.Region != "" && !regionPattern.MatchString(f.Region) {
		faults.Add("aws:region", f.Region, "is not a region", "give one such as us-east-1")
		f.Region = ""
	}
	config, err := newConfig(source{stack: stack, dir: filepath.Dir(f.Path), region: f.Region, values: values})
	faults.Join("", err)
	if config != nil {
		f.Config = *config
	}
	return faults.Err()
}

var regionPattern = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]+$`)

// readKey keeps the value of a config key. Keys of providers are theirs to check.
func readKey(key string, value *yaml.Node, values map[string]*yaml.Node, faults *fault.Faults) {
	namespace, name, ok := strings.Cut(key, ":")
	switch {
	case !ok:
		faults.Add(key, nil, "has no namespace", "write "+ProjectName+":"+key)
		return
	case namespace == ProjectName && key != kindKey && key != managementKey && key != clusterKey:
		faults.Add(key, nil, "is no key of the config", suggest(name, []string{"kind", "management", "cluster"}))
		return
	}
	values[key] = value
}

// placed gives every fault of err its file and, where the file's content is known, its line.
func placed(err error, path string, root *yaml.Node) error {
	if err == nil {
		return nil
	}
	var faults fault.Faults
	for _, f := range fault.In(err) {
		at := *f
		at.File = path
		if root != nil && at.Line == 0 {
			at.Line = lineOf(root, at.Path)
		}
		faults = append(faults, &at)
	}
	return faults.Err()
}

// ExistingKind is a kind of thing that a config can refer to without making it.
type ExistingKind string

// The kinds of things that a config can refer to.
const (
	ExistingPublicZone      ExistingKind = "public zone"
	ExistingKMSKey          ExistingKind = "KMS key"
	ExistingOIDCProvider    ExistingKind = "OIDC provider"
	ExistingRole            ExistingKind = "role"
	ExistingInstanceProfile ExistingKind = "instance profile"
	ExistingPolicy          ExistingKind = "policy"
	ExistingLoadBalancer    ExistingKind = "load balancer"
)

// Existing is something in AWS that a config refers to and that its stack does not make.
type Existing struct {
	Kind ExistingKind
	// Name is a zone's domain, an OIDC provider's issuer, an instance profile's name, or the ARN of a key,
	// role, policy or load balancer.
	Name string
	// Document is the trust policy that a role needs, "" for other kinds.
	Document string
}

// Existing lists what the config refers to as existing in the stack's account. m is what the management stack
// that it names hands on, nil where it names none or that is not known: roles that trust its issuer are then
// left out.
func (c *Config) Existing(m *Management) []Existing {
	if c.Management != nil {
		return c.Management.existing()
	}
	var existing []Existing
	if c.Cluster.EndpointAccess.HasPublic() {
		existing = append(existing, Existing{Kind: ExistingPublicZone, Name: c.Cluster.BaseDomain})
	}
	if c.Cluster.KMSKeyARN != "" && c.Cluster.KMSKeyARN != NoKMSKey {
		existing = append(existing, Existing{Kind: ExistingKMSKey, Name: c.Cluster.KMSKeyARN})
	}
	if c.Cluster.OIDC.IssuerURL != "" {
		existing = append(existing, Existing{Kind: ExistingOIDCProvider, Name: c.Cluster.OIDC.IssuerURL})
	}
	existing = append(existing, c.Cluster.Network.existing(c.Cluster)...)
	if link := c.Cluster.PrivateLink; link != nil {
		for _, arn := range link.LoadBalancers.ARNs {
			existing = append(existing, Existing{Kind: ExistingLoadBalancer, Name: arn})
		}
	}
	return append(existing, c.Cluster.existingIAM(m)...)
}
