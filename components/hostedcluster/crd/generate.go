//go:build ignore

// Generate writes the CRDs that this package embeds: what HyperShift installs, without the prose and the columns that
// only people read.
//
//	go run generate.go <hypershift>/cmd/install/assets/crds/hypershift-operator/zz_generated.crd-manifests
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

func main() {
	for from, to := range map[string]string{
		"hostedclusters-Hypershift-Default.crd.yaml": "hostedclusters.json",
		"nodepools-Default.crd.yaml":                 "nodepools.json",
	} {
		if err := generate(filepath.Join(os.Args[1], from), to); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func generate(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	delete(crd["metadata"].(map[string]any), "annotations")
	for _, version := range crd["spec"].(map[string]any)["versions"].([]any) {
		delete(version.(map[string]any), "additionalPrinterColumns")
		withoutProse(version.(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any))
	}
	out, err := json.MarshalIndent(crd, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(out, '\n'), 0o644)
}

// withoutProse takes the descriptions out of a schema; a property may itself be called "description".
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
