// Command examples converts the programs in YAML of a Pulumi package's examples to the other languages, as `pulumi
// convert` does: examples EXAMPLES SCHEMA OUT.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	dotnet "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/codegen"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"gopkg.in/yaml.v3"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: examples EXAMPLES SCHEMA OUT")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// languages are the languages of the examples, by the words after the fences of their blocks, with the files that
// their generators write.
var languages = []struct {
	fence, file string
	generate    func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error)
}{
	{"typescript", "index.ts", nodejs.GenerateProgram},
	{"python", "__main__.py", python.GenerateProgram},
	{"csharp", "Program.cs", dotnet.GenerateProgram},
	{"go", "main.go", inGo},
}

// convert writes the examples as JSON, by the component and by the language, with the digest of what they are made
// from.
func convert(examplesPath, schemaPath, out string) error {
	text, err := os.ReadFile(examplesPath)
	if err != nil {
		return fmt.Errorf("reading the examples: %w", err)
	}
	var programs map[string]yaml.Node
	if err := yaml.Unmarshal(text, &programs); err != nil {
		return fmt.Errorf("reading %s: %w", examplesPath, err)
	}
	packages, err := load(schemaPath)
	if err != nil {
		return err
	}
	converted := map[string]map[string]string{}
	for token, program := range programs {
		inYAML, err := yaml.Marshal(&program)
		if err != nil {
			return fmt.Errorf("writing the example of %s: %w", token, err)
		}
		if converted[token], err = inLanguages(inYAML, packages); err != nil {
			return fmt.Errorf("converting the example of %s: %w", token, err)
		}
	}
	var document bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(struct {
		Source   string                       `json:"source"`
		Programs map[string]map[string]string `json:"programs"`
	}{fmt.Sprintf("sha256:%x", sha256.Sum256(text)), converted}); err != nil {
		return fmt.Errorf("writing the examples: %w", err)
	}
	return os.WriteFile(out, document.Bytes(), 0o644)
}

// inLanguages returns a program in each language.
func inLanguages(program []byte, packages loader) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	project := append([]byte("name: example\nruntime: yaml\n"), program...)
	if err := os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), project, 0o600); err != nil {
		return nil, err
	}
	_, bound, err := codegen.Eject(dir, packages)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, language := range languages {
		files, problems, err := language.generate(bound)
		if err = errors.Join(err, fault(problems)); err != nil {
			return nil, fmt.Errorf("%s: %w", language.fence, err)
		}
		text, made := files[language.file]
		if !made {
			return nil, fmt.Errorf("%s: the generator has written no %s", language.fence, language.file)
		}
		if strings.Contains(string(text), "(PANIC=") { // what fmt writes where a generator panics
			return nil, fmt.Errorf("%s: the generator has failed:\n%s", language.fence, text)
		}
		texts[language.fence] = strings.TrimSpace(string(text)) + "\n"
	}
	return texts, nil
}

func fault(problems hcl.Diagnostics) error {
	if problems.HasErrors() {
		return problems
	}
	return nil
}

// loader has the packages that the examples use.
type loader map[string]*schema.Package

var _ schema.ReferenceLoader = loader{}

// example matches the examples in a description, which this program writes.
var example = regexp.MustCompile(`(?s)\{\{% examples %\}\}.*?\{\{% /examples %\}\}`)

// load returns the package of a schema, and of the other packages what examples use: their providers.
func load(path string) (loader, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	var own schema.PackageSpec
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, fmt.Errorf("reading the schema %s: %w", path, err)
	}
	for token, resource := range own.Resources {
		resource.Description = example.ReplaceAllString(resource.Description, "")
		own.Resources[token] = resource
	}
	str := schema.PropertySpec{TypeSpec: schema.TypeSpec{Type: "string"}}
	others := []schema.PackageSpec{
		{
			Name: "kubernetes", Version: "4.30.0",
			Provider: &schema.ResourceSpec{InputProperties: map[string]schema.PropertySpec{
				"context": str, "clusterIdentifier": str,
			}},
			Language: map[string]schema.RawMessage{
				"go": schema.RawMessage(`{"importBasePath": "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"}`),
			},
		},
		{
			Name: "aws", Version: "6.83.4",
			Meta: &schema.MetadataSpec{ModuleFormat: "(.*)(?:/[^/]*)"}, // as in the package's own schema
			Provider: &schema.ResourceSpec{InputProperties: map[string]schema.PropertySpec{
				"region": str, "assumeRole": {
					TypeSpec: schema.TypeSpec{Ref: "#/types/aws:index/ProviderAssumeRole:ProviderAssumeRole"},
				},
			}},
			Types: map[string]schema.ComplexTypeSpec{
				"aws:index/ProviderAssumeRole:ProviderAssumeRole": {ObjectTypeSpec: schema.ObjectTypeSpec{
					Type: "object", Properties: map[string]schema.PropertySpec{"roleArn": str},
				}},
			},
			Language: map[string]schema.RawMessage{
				"go": schema.RawMessage(`{"importBasePath": "github.com/pulumi/pulumi-aws/sdk/v6/go/aws"}`),
			},
		},
	}
	packages := loader{}
	for _, spec := range append(others, own) {
		bound, err := schema.ImportSpec(spec, map[string]schema.Language{
			"go": golang.Importer, "nodejs": nodejs.Importer, "python": python.Importer, "csharp": dotnet.Importer,
		}, packages, schema.ValidationOptions{})
		if err != nil {
			return nil, fmt.Errorf("binding the schema of %s: %w", spec.Name, err)
		}
		packages[spec.Name] = bound
	}
	return packages, nil
}

func (l loader) LoadPackage(name string, _ *semver.Version) (*schema.Package, error) {
	if found, ok := l[name]; ok {
		return found, nil
	}
	return nil, fmt.Errorf("no example may use the package %s; add its provider here", name)
}

func (l loader) LoadPackageV2(_ context.Context, of *schema.PackageDescriptor) (*schema.Package, error) {
	return l.LoadPackage(of.Name, nil)
}

func (l loader) LoadPackageReference(name string, _ *semver.Version) (schema.PackageReference, error) {
	found, err := l.LoadPackage(name, nil)
	if err != nil {
		return nil, err
	}
	return found.Reference(), nil
}

func (l loader) LoadPackageReferenceV2(
	_ context.Context,
	of *schema.PackageDescriptor,
) (schema.PackageReference, error) {
	return l.LoadPackageReference(of.Name, nil)
}
