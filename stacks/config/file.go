package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// File is the checked content of Pulumi.<stack>.yaml.
type File struct {
	Config
	// Path is the file's path.
	Path string
	// Region is aws:region or else AWS_REGION or AWS_DEFAULT_REGION of the environment; "" if only AWS's SDK can
	// determine it.
	Region string
	// SecretsProvider is the file's secretsprovider, "" for a passphrase.
	SecretsProvider string
	// Supplied is true if a program has given the content, and there is no such file.
	Supplied bool
	// root is the file's content.
	root *yaml.Node
}

// Placed adds the location in the file to the faults in err, if there is a file.
func (f *File) Placed(err error) error {
	if f.Supplied {
		return err
	}
	return yamlfile.Locate(err, f.Path, f.root)
}

// FileName returns the name of a stack's file.
func FileName(stack string) string { return "Pulumi." + stack + ".yaml" }

// LoadFile reads and checks a stack's file in dir. It returns every fault, as fault.Faults with file and line, and an
// error that is fs.ErrNotExist if the file does not exist.
func (kinds Kinds) LoadFile(dir, stack string) (*File, error) {
	return kinds.LoadFileIssuedBy(dir, stack, "")
}

// LoadFileIssuedBy is like LoadFile, for a cluster whose issuer the caller provides: the file need not contain one.
func (kinds Kinds) LoadFileIssuedBy(dir, stack, issuerURL string) (*File, error) {
	path := filepath.Join(dir, FileName(stack))
	text, err := atomicfile.ReadInput(path)
	if err != nil {
		return nil, fmt.Errorf("reading the config of stack %q: %w", stack, err)
	}
	return kinds.ParseContent(path, stack, issuerURL, text, nil)
}

// ParseFile is like LoadFile, for a file with that text, which need not exist.
func (kinds Kinds) ParseFile(path, stack string, text []byte) (*File, error) {
	return kinds.ParseContent(path, stack, "", text, nil)
}

// ParseContent is like ParseFile, for the text and the secrets of a Content, and for a cluster whose issuer the caller
// provides.
func (kinds Kinds) ParseContent(path, stack, issuerURL string, text []byte, secrets Secrets) (*File, error) {
	f := &File{Path: path}
	root, err := yamlfile.Parse(text)
	if err != nil {
		return nil, yamlfile.Locate(err, path, nil)
	}
	f.root = root
	return f, yamlfile.Locate(kinds.readFile(f, root, Source{
		Stack:     stack,
		IssuerURL: issuerURL,
		Secrets:   secrets,
	}), path, root)
}

func (kinds Kinds) readFile(f *File, root *yaml.Node, from Source) error {
	var faults fault.Faults
	d := newDecoder(filepath.Dir(f.Path), f.Region)
	if !d.expect(root, yaml.MappingNode, false, "") {
		return d.faults.Err()
	}
	values := map[string]*yaml.Node{}
	misplaced := false
	d.eachKey(root, "", func(key, value *yaml.Node) {
		switch key.Value {
		case "secretsprovider":
			f.SecretsProvider = value.Value
		case "encryptedkey", "encryptionsalt":
		case "environment":
			if value.Tag != "!!null" && (value.Kind != yaml.SequenceNode || len(value.Content) > 0) {
				d.faults = append(d.faults, &fault.Fault{
					Path: key.Value, Line: key.Line, Problem: "names environments of Pulumi ESC, whose values no check would see",
					Remedy: "write the values below config in place of the key; for environment variables such as credentials, " +
						"run the command with `pulumi env run ENVIRONMENT -- `",
				})
			}
		case "config":
			if value.Tag != "!!null" && d.expect(value, yaml.MappingNode, false, "config") {
				d.eachKey(value, "", func(key, value *yaml.Node) { kinds.readKey(key.Value, value, values, &d.faults) })
			}
		default:
			// Pulumi ignores other keys
			if namespace, _, found := strings.Cut(key.Value, ":"); found && (namespace+":" == OwnPrefix ||
				namespace == ProjectName) {
				d.faults = append(d.faults, &fault.Fault{
					Path: key.Value, Line: key.Line, Problem: "stands beside config, where nothing reads it",
					Remedy: "indent it below config:",
				})
				misplaced = true
			}
			if levenshtein.Distance(key.Value, "config", nil) <= 2 || strings.HasPrefix(key.Value, "config") {
				d.faults = append(d.faults, &fault.Fault{
					Path:    key.Value,
					Line:    key.Line,
					Problem: "is not a key of a stack's file",
					Remedy:  "did you mean config?",
				})
			}
		}
	})
	faults = append(faults, d.faults...)
	if misplaced {
		return faults.Err() // what config lacks stands beside it
	}
	regionKey := "aws:region"
	if node := values[regionKey]; node != nil {
		f.Region = node.Value
	} else {
		for _, regionKey = range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
			if f.Region = os.Getenv(regionKey); f.Region != "" {
				break
			}
		}
	}
	skip := values["aws:skipRegionValidation"]
	if refused := checkRegion(regionKey, f.Region, "aws:skipRegionValidation",
		skip != nil && skip.Value == "true"); refused != nil {
		faults, f.Region = append(faults, refused), ""
	}
	own, found := ownAccount(f, values)
	faults = append(faults, found...)
	if len(found) == 0 {
		for _, refused := range fault.In(own.validateValues()) {
			refused.Path = OwnPrefix + refused.Path
			faults = append(faults, refused)
		}
	}
	faults = append(faults, disabledProvider(values[disabledProvidersKey])...)
	from.Dir, from.Region, from.Values = filepath.Dir(f.Path), f.Region, values
	config, err := kinds.New(from)
	misspelt := slices.ContainsFunc(d.faults, func(f *fault.Fault) bool {
		return strings.HasPrefix(f.Path, ProjectName+":")
	})
	for _, f := range fault.In(err) {
		if !misspelt || f.Path != config.Kind.Key() || f.Problem != missing { // the section has another key
			faults = append(faults, f)
		}
	}
	if fault.In(err) == nil {
		faults.Join("", err)
	}
	if config != nil {
		f.Config = *config
		faults = append(faults, config.ignoredTags(own)...)
	}
	return faults.Err()
}

// disabledProvidersKey is Pulumi's key for the packages without a default provider.
const disabledProvidersKey = "pulumi:disable-default-providers"

// disabledProvider returns a fault if the stack's own AWS provider is disabled: it is the default provider, which the
// aws: keys configure. The other providers of a stack are explicit. The value is a list, or its text in JSON.
func disabledProvider(node *yaml.Node) (faults fault.Faults) {
	if node == nil {
		return nil
	}
	list := providerText(node, reflect.ValueOf([]string{}))
	names := list.Content
	if list.Kind == yaml.ScalarNode && list.Tag == "!!str" {
		names = []*yaml.Node{list}
	} else if list.Kind != yaml.SequenceNode {
		faults.Add(disabledProvidersKey, list.Value, "is not a list of packages", "use one such as [random], or leave it out")
	}
	for _, name := range names {
		if name.Value == "*" || name.Value == "aws" {
			faults.Add(disabledProvidersKey, name.Value,
				"disables the AWS provider that the aws: keys configure, which creates the stack",
				"leave it out of this stack's file; list other packages by name")
		}
	}
	return faults
}

// checkRegion returns the fault of the region at a path, nil if there is none. A region that is not in the list of this
// version is accepted if the key skipKey is true.
func checkRegion(path, region, skipKey string, skip bool) *fault.Fault {
	switch {
	case region == "" || hypershift.IsRegion(region):
	case !regionPattern.MatchString(region):
		return &fault.Fault{Path: path, Value: region, Problem: "is not a region", Remedy: "use one such as us-east-1"}
	case !skip:
		return &fault.Fault{Path: path, Value: region, Problem: "is not a known region of AWS",
			Remedy: "use " + hypershift.NearestRegion(region) +
				"; if AWS opened the region after this version of hypershift-aws, set " + skipKey + ": true"}
	}
	return nil
}

var regionPattern = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]+$`)

// readKey stores the value of a config key. Providers other than AWS's check their own keys.
func (kinds Kinds) readKey(key string, value *yaml.Node, values map[string]*yaml.Node, faults *fault.Faults) {
	namespace, name, ok := strings.Cut(key, ":")
	switch {
	case !ok:
		faults.Add(key, nil, "has no namespace", "write "+ProjectName+":"+key)
		return
	case namespace == ProjectName && key != KindKey && sharedType(key) == nil &&
		!slices.Contains(kinds.Names(), Kind(name)):
		known := []string{"kind"}
		for _, shared := range Shared() {
			known = append(known, strings.TrimPrefix(shared.Key, ProjectName+":"))
		}
		for _, kind := range kinds.Names() {
			known = append(known, string(kind))
		}
		faults.Add(key, nil, "is not a key of the config", suggest(name, known))
		return
	case namespace+":" == OwnPrefix && !slices.Contains(providerKeys(), name):
		faults.Add(key, nil, "is not a key of the AWS provider", suggest(name, providerKeys()))
		return
	}
	values[key] = value
}
