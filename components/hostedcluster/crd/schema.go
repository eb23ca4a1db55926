package crd

import (
	"embed"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hypershift-aws/hypershift-aws/components/crd"
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

// Set are the schemas. They are compiled when they are first used.
var Set = crd.NewSet("HyperShift's API", files, map[crd.Kind]string{
	{APIVersion: APIVersion, Kind: HostedCluster}: "hostedclusters.json",
	{APIVersion: APIVersion, Kind: NodePool}:      "nodepools.json",
})

// Validate checks a new object against its schema. The error is fault.Faults, all of them, each with the field's path in
// the object and the CRD's own message.
func Validate(object map[string]any) error { return Set.Validate(object) }

// ValidateUpdate checks an object against its schema and against its former state: fields that never change, and those
// that stay once set. Both may lack the defaults. The error is as of Validate.
func ValidateUpdate(object, old map[string]any) error { return Set.ValidateUpdate(object, old) }

// Default sets what the schema has a default for and the object does not say.
// The object's values are those of JSON: int64 or float64, never int.
func Default(object map[string]any) error { return Set.Default(object) }

// Check is what an API server does with an object that is applied; old is nil where there is none. It changes neither.
// The errors are those that the server's answer lists behind 'HostedCluster.hypershift.openshift.io "…" is invalid:'.
func Check(object, old map[string]any) field.ErrorList { return Set.Check(object, old) }
