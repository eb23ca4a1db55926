// Package upstream compares objects with those that HyperShift's CLI renders.
package upstream

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Objects returns YAML documents by kind and name.
func Objects(t *testing.T, text []byte) map[string]map[string]any {
	t.Helper()
	objects := map[string]map[string]any{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var o map[string]any
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		if o != nil {
			objects[o["kind"].(string)+" "+o["metadata"].(map[string]any)["name"].(string)] = o
		}
	}
}

// Difference is a difference between HyperShift's rendering and this project's, with the function that removes it from
// HyperShift's.
type Difference struct {
	// Name is its name in docs/appendix/render.md.
	Name string
	undo func(kind string, o map[string]any)
}

// Differences returns the differences listed in docs/appendix/render.md, except those that are defaults. The objects
// here have etcdKey.
func Differences(etcdKey string) []Difference {
	return []Difference{
		{"no status", func(_ string, o map[string]any) { delete(o, "status") }},
		{"nothing empty", func(_ string, o map[string]any) { dropEmpty(o) }},
		{"no timeouts of zero", func(kind string, o map[string]any) {
			if spec, _ := o["spec"].(map[string]any); kind == "NodePool" {
				maps.DeleteFunc(spec, func(key string, value any) bool {
					return value == "0s" && (key == "nodeDrainTimeout" || key == "nodeVolumeDetachTimeout")
				})
			}
		}},
		{"every Secret's type", func(kind string, o map[string]any) {
			if kind == "Secret" {
				o["type"] = "Opaque"
			}
		}},
		{"no SSH key", func(kind string, o map[string]any) {
			if spec, _ := o["spec"].(map[string]any); kind == "HostedCluster" && len(spec["sshKey"].(map[string]any)) == 0 {
				spec["sshKey"] = map[string]any{"name": ""}
			}
		}},
		{"the cleanup annotation", func(kind string, o map[string]any) {
			if kind == "HostedCluster" {
				metadata, _ := o["metadata"].(map[string]any)
				annotations, _ := metadata["annotations"].(map[string]any)
				if annotations == nil {
					annotations = map[string]any{}
				}
				annotations["hypershift.openshift.io/cleanup-cloud-resources"] = "true"
				metadata["annotations"] = annotations
			}
		}},
		{"the owner's tag", func(kind string, o map[string]any) {
			if spec, _ := o["spec"].(map[string]any); kind == "HostedCluster" {
				platform, _ := spec["platform"].(map[string]any)
				aws, _ := platform["aws"].(map[string]any)
				tags, _ := aws["resourceTags"].([]any)
				aws["resourceTags"] = append(tags, map[string]any{
					"key":   "kubernetes.io/cluster/" + spec["infraID"].(string),
					"value": "owned",
				})
			}
		}},
		{"the key of etcd", func(_ string, o map[string]any) {
			if data, _ := o["data"].(map[string]any); data["key"] != nil {
				data["key"] = etcdKey
			}
		}},
	}
}

// Undo removes the differences from HyperShift's objects.
func Undo(objects map[string]map[string]any, etcdKey string) {
	for id, o := range objects {
		for _, d := range Differences(etcdKey) {
			d.undo(strings.Fields(id)[0], o)
		}
	}
}

func dropEmpty(o map[string]any) {
	for key, value := range o {
		if inner, ok := value.(map[string]any); ok {
			if dropEmpty(inner); len(inner) == 0 && key != "sshKey" {
				delete(o, key)
			}
		}
	}
}
