package crd

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The schema of a management cluster may have rules, formats and extensions of Kubernetes that this version's libraries
// do not know: what they know is judged nevertheless.
func TestAPublishedSchemaOfALaterKubernetesIsJudgedAsFarAsItIsKnown(t *testing.T) {
	t.Parallel()
	read := func(text string) map[string]any {
		var document map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &document))
		return document
	}
	published, err := Publish(read(`
type: object
x-kubernetes-later: true
x-kubernetes-validations:
- {rule: "self.isLater()", message: later}
- {rule: "has(self.status) || self.spec.size > 0", message: of the status}
- {rule: "self.metadata.name == 'demo'", message: of the name}
properties:
  metadata: {allOf: [{$ref: "#/components/schemas/ObjectMeta"}]}
  spec:
    type: object
    x-kubernetes-validations:
    - {rule: "laterFunction(self.name)", message: a later function}
    - {rule: "self.size > 1", message: the size}
    - {rule: "oldSelf.later()", message: a later function of a change}
    allOf: [{x-kubernetes-validations: [{rule: "self.size > 5", message: nested}]}]
    properties:
      name: {type: string, format: later-format, x-kubernetes-validations: [{rule: "self.later() == 1"}]}
      mode: {type: string, enum: [A, B]}
      size: {type: integer, default: 2}
      any: {type: object, x-kubernetes-preserve-unknown-fields: true}
      port: {x-kubernetes-int-or-string: true}
`))
	require.NoError(t, err)
	object := func(spec string) map[string]any {
		return map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "demo"},
			"spec": read(spec)}
	}
	for spec, path := range map[string]string{
		"{name: a, mode: A, size: 3}":     "",
		"{name: a}":                       "",
		"{any: {of: {these: [1]}}}":       "",
		"{port: '80', any: {}}":           "",
		"{newer: true}":                   "", // that the schema lacks it is the caller's to judge
		"{mode: C}":                       "spec.mode",
		"{size: 1}":                       "spec",
		"{size: one}":                     "spec.size",
		"{name: a, size: 1, port: 1}":     "spec",
		"{name: a, mode: C, any: {b: 1}}": "spec.mode",
	} {
		for _, old := range []map[string]any{nil, object("{name: b, mode: B, size: 3}")} {
			faults, err := published.Refused(object(spec), old, "")
			require.NoError(t, err, spec)
			if path == "" {
				require.Empty(t, faults, spec)
				continue
			}
			require.Len(t, faults, 1, spec)
			require.Equal(t, path, faults[0].Path, spec)
		}
	}
}
