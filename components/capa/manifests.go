package capa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Manifest is an object in a file.
type Manifest struct {
	// File is the file's name; the objects can be applied in the order of these names.
	File string
	// Object is the API object, without a status.
	Object map[string]any
}

// Manifests returns the cluster's objects as files, the namespace first and the Cluster last. It fails as Objects does.
func (args *Args) Manifests(site *Site) ([]Manifest, error) {
	objects, err := args.Objects(site)
	if err != nil {
		return nil, err
	}
	namespace := cmp.Or(args.Namespace, DefaultNamespace)
	manifests := []Manifest{{"00-namespace.yaml", map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace},
	}}}
	for _, o := range objects {
		order := 30
		switch {
		case o.Part == PartIdentity:
			order = 10
		case o.Part == PartAWSCluster || o.Template:
			order = 20
		case o.Part == PartCluster:
			order = 40
		}
		manifests = append(manifests, Manifest{fmt.Sprintf("%d-%s.yaml", order, o.Part), o.Object})
	}
	slices.SortStableFunc(manifests, func(a, b Manifest) int { return strings.Compare(a.File, b.File) })
	return manifests, nil
}
