// Command sdks generates the SDKs of a Pulumi package from its schema: sdks SCHEMA DIR LANGUAGE...
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	dotnet "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: sdks SCHEMA DIR LANGUAGE...")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// alone loads no package: the schema refers to itself alone.
type alone struct{ schema.ReferenceLoader }

// generate writes the SDK of each language to a folder of its name below dir.
func generate(schemaPath, dir string, languages []string) error {
	text, err := os.ReadFile(schemaPath)
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	floor, err := sdkVersion(text)
	if err != nil {
		return err
	}
	for _, language := range languages {
		pkg, err := read(schemaPath) // for each: the generator for Python changes the names of enumerations
		if err != nil {
			return err
		}
		files, err := sources(pkg, digest, floor, language)
		if err != nil {
			return fmt.Errorf("generating the SDK for %s: %w", language, err)
		}
		target := filepath.Join(dir, language)
		if err := os.RemoveAll(target); err != nil {
			return fmt.Errorf("removing the SDK that was there: %w", err)
		}
		for name, text := range files {
			path := filepath.Join(target, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fmt.Errorf("writing the SDK for %s: %w", language, err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return fmt.Errorf("writing the SDK for %s: %w", language, err)
			}
		}
		fmt.Printf("%s: %d files\n", target, len(files))
	}
	return nil
}

// sdkVersion returns the version of Pulumi's SDK that the plugin is built with. Only Go's SDK has no place for it in the
// schema.
func sdkVersion(text []byte) (string, error) {
	var document struct {
		Language struct {
			NodeJS struct{ Dependencies map[string]string }
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return "", fmt.Errorf("reading the schema: %w", err)
	}
	version, found := strings.CutPrefix(document.Language.NodeJS.Dependencies["@pulumi/pulumi"], "^")
	if !found {
		return "", errors.New("the schema has no ^VERSION of @pulumi/pulumi for Node.js")
	}
	return version, nil
}

// read reads the schema, and refuses one that Pulumi would not accept.
func read(path string) (*schema.Package, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("reading the schema %s: %w", path, err)
	}
	pkg, diagnostics, err := schema.BindSpec(spec, alone{}, schema.ValidationOptions{})
	if err != nil {
		return nil, fmt.Errorf("binding the schema %s: %w", path, err)
	}
	for _, diagnostic := range diagnostics {
		fmt.Fprintln(os.Stderr, diagnostic)
	}
	if diagnostics.HasErrors() {
		return nil, fmt.Errorf("the schema %s has errors", path)
	}
	return pkg, nil
}

// withLogo calls generate while the URL of the package's logo is that of a blank image in this process. The generator
// for .NET downloads the logo, which would take a network.
func withLogo(pkg *schema.Package, generate func() (map[string][]byte, error)) (map[string][]byte, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving the logo: %w", err)
	}
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 64, 64))) // an error of the connection is the generator's too
		}),
	}
	go func() { _ = server.Serve(listener) }() // it always ends with an error, that the server was closed
	defer func() { _ = server.Close() }()
	before := pkg.LogoURL
	pkg.LogoURL = "http://" + listener.Addr().String()
	defer func() { pkg.LogoURL = before }()
	return generate()
}

func sources(pkg *schema.Package, digest, floor, language string) (map[string][]byte, error) {
	const tool = "sdks"
	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, alone{})
	case "python":
		return python.GeneratePackage(tool, pkg, nil, alone{})
	case "dotnet":
		return withLogo(pkg, func() (map[string][]byte, error) { return dotnet.GeneratePackage(tool, pkg, nil, nil) })
	case "go":
		files, err := golang.GeneratePackage(tool, pkg, nil)
		if err != nil {
			return nil, err
		}
		// A separate module, so that the module around the folder does not include its packages.
		info, _ := pkg.Language["go"].(golang.GoPackageInfo)
		files["go.mod"] = fmt.Appendf(nil, "// Generated from the schema %s.\nmodule %s\n\ngo 1.24\n\nrequire github.com/pulumi/pulumi/sdk/v3 v%s\n",
			digest, info.ImportBasePath, floor)
		return files, nil
	}
	return nil, fmt.Errorf("%s is no language here; use nodejs, python, go or dotnet", language)
}
