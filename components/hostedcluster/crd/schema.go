package crd

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// APIVersion is the version of HyperShift's API that the schemas are of.
const APIVersion = "hypershift.openshift.io/v1beta1"

// The kinds that there are schemas of.
const (
	HostedCluster = "HostedCluster"
	NodePool      = "NodePool"
)

// The CRDs of the feature set "Default", as HyperShift's repository has them at 3ee9615567 (2026-08-22).
//
//go:embed hostedclusters.json nodepools.json
var files embed.FS

// schema is one kind's, ready for use.
type schema struct {
	structure *structural.Structural
	shape     validation.SchemaValidator
	rules     *cel.Validator
}

// The rules take a while to compile, and what they compile to never changes: once a process is enough.
var (
	hostedClusters = sync.OnceValues(func() (*schema, error) { return load("hostedclusters.json") })
	nodePools      = sync.OnceValues(func() (*schema, error) { return load("nodepools.json") })
)

// schemaOf returns the schema of an object's kind.
func schemaOf(object map[string]any) (*schema, error) {
	if version := object["apiVersion"]; version != APIVersion {
		return nil, fmt.Errorf("apiVersion %q is none that there is a schema of; the schemas are of %s", version, APIVersion)
	}
	switch kind := object["kind"]; kind {
	case HostedCluster:
		return hostedClusters()
	case NodePool:
		return nodePools()
	default:
		return nil, fmt.Errorf("kind %q has no schema; there are those of %s and %s", kind, HostedCluster, NodePool)
	}
}

func load(file string) (*schema, error) {
	text, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var crd v1.CustomResourceDefinition
	if err := json.Unmarshal(text, &crd); err != nil {
		return nil, fmt.Errorf("reading the CRD in %s: %w", file, err)
	}
	for _, version := range crd.Spec.Versions {
		if crd.Spec.Group+"/"+version.Name != APIVersion {
			continue
		}
		s, err := compile(version.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, fmt.Errorf("compiling the CRD in %s: %w", file, err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("the CRD in %s has no version %s", file, APIVersion)
}

func compile(properties *v1.JSONSchemaProps) (*schema, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(properties, internal, nil); err != nil {
		return nil, err
	}
	structure, err := structural.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	shape, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, err
	}
	return &schema{structure, shape, cel.NewValidator(structure, true, celconfig.PerCallLimit)}, nil
}
