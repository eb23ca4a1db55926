//go:build ignore

// Generate writes CRDs as the packages with their schemas embed them: as JSON, without descriptions and printer
// columns, and with -version without the other versions. A target that ends in .gz is compressed. In the package:
//
//	go run ../../crd/generate.go [-version v1beta2] <CRD's YAML>=<JSON file>...
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func main() {
	version := flag.String("version", "", "the only version to keep")
	flag.Parse()
	for _, arg := range flag.Args() {
		from, to, _ := strings.Cut(arg, "=")
		if err := generate(from, to, *version); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func generate(from, to, only string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	unstructured.RemoveNestedField(crd, "metadata", "annotations")
	versions, _, err := unstructured.NestedSlice(crd, "spec", "versions")
	if err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	var kept []any
	for _, item := range versions {
		version := item.(map[string]any)
		if only != "" && version["name"] != only {
			continue
		}
		delete(version, "additionalPrinterColumns")
		schema, _, _ := unstructured.NestedFieldNoCopy(version, "schema", "openAPIV3Schema")
		withoutProse(schema.(map[string]any))
		kept = append(kept, version)
	}
	if err := unstructured.SetNestedSlice(crd, kept, "spec", "versions"); err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	out, err := json.MarshalIndent(crd, "", " ")
	if err != nil {
		return err
	}
	out = append(out, '\n')
	if strings.HasSuffix(to, ".gz") {
		var packed bytes.Buffer
		writer, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if _, err := writer.Write(out); err != nil {
			return err
		}
		if err := writer.Close(); err != nil {
			return err
		}
		out = packed.Bytes()
	}
	return os.WriteFile(to, out, 0o644)
}

// withoutProse removes the descriptions from a schema; a property may itself be called "description".
func withoutProse(schema map[string]any) {
	delete(schema, "description")
	for _, inner := range []string{"items", "additionalProperties", "not"} {
		if s, ok := schema[inner].(map[string]any); ok {
			withoutProse(s)
		}
	}
	for _, list := range []string{"allOf", "anyOf", "oneOf"} {
		all, _ := schema[list].([]any)
		for _, s := range all {
			withoutProse(s.(map[string]any))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, s := range properties {
		withoutProse(s.(map[string]any))
	}
}
