package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// staying is a Kubernetes object of a plan.
type staying struct {
	kind, namespace, name string
	values                props.Map
	created               bool
}

func objectOf(step *changes.Step, values map[string]any) staying {
	m := props.Map(values)
	return staying{
		kind: m.String("kind"), namespace: m.String("metadata", "namespace"), name: m.String("metadata", "name"),
		values: m, created: step.Change == changes.Create,
	}
}

func (o staying) text(path ...string) string { return o.values.String(path...) }

func (o staying) String() string { return fmt.Sprintf("%s %s", o.kind, o.name) }

// needer says which object of a plan that stays needs the object that a step deletes: "Deployment operator runs as it".
// It is "" for other steps, and if no object needs it.
func needer(plan *changes.Plan, step *changes.Step) string {
	if step.Change != changes.Delete || step.Leftover || !strings.HasPrefix(step.Type, "kubernetes:") {
		return ""
	}
	gone := objectOf(step, step.Old)
	var stay []staying
	for _, other := range plan.Steps {
		if other.Change == changes.Delete || other.Leftover || !strings.HasPrefix(other.Type, "kubernetes:") {
			continue
		}
		values := other.New
		if len(values) == 0 {
			values = other.Old
		}
		stay = append(stay, objectOf(other, values))
	}
	switch gone.kind {
	case "ClusterRole", "Role":
		for _, o := range stay {
			if o.text("roleRef", "kind") == gone.kind && o.text("roleRef", "name") == gone.name &&
				(gone.kind == "ClusterRole" || o.namespace == gone.namespace) {
				return o.String() + " refers to it"
			}
		}
	case "ClusterRoleBinding", "RoleBinding":
		return boundBy(gone, stay)
	case "ServiceAccount", "Secret", "ConfigMap", "PriorityClass", "Service":
		for _, o := range stay {
			if (gone.kind == "PriorityClass" || gone.kind == "Service" || o.namespace == gone.namespace) && o.mentions(gone) {
				return o.String() + " needs it"
			}
		}
	}
	return ""
}

// mentions reports whether an object runs with another one, mounts it, or calls it.
func (o staying) mentions(other staying) bool {
	// fields are the fields that name such an object, and objects those that have an object with its name.
	var fields, objects []string
	switch other.kind {
	case "ServiceAccount":
		fields = []string{"serviceAccountName"}
	case "PriorityClass":
		fields = []string{"priorityClassName"}
	case "Secret":
		fields, objects = []string{"secretName"}, []string{"secretKeyRef", "secretRef", "secret"}
	case "ConfigMap":
		objects = []string{"configMap", "configMapKeyRef", "configMapRef"}
	case "Service":
		objects = []string{"service"}
	}
	return untyped.Contains(map[string]any(o.values), func(value any) bool {
		fieldsOf, isObject := value.(map[string]any)
		if !isObject || fieldsOf["optional"] == true {
			return false
		}
		if slices.ContainsFunc(fields, func(field string) bool { return fieldsOf[field] == any(other.name) }) {
			return true
		}
		return slices.ContainsFunc(objects, func(field string) bool {
			reference := props.Map(fieldsOf).Object(field)
			return reference.String("name") == other.name && !reference.Bool("optional") &&
				(other.kind != "Service" || reference.String("namespace") == other.namespace)
		})
	})
}

// boundBy says which object that stays runs as a service account that a deleted binding gives permissions to, unless a
// new binding gives it some.
func boundBy(gone staying, stay []staying) string {
	for _, subject := range gone.values.Objects("subjects") {
		account := staying{kind: "ServiceAccount", namespace: subject.String("namespace"), name: subject.String("name")}
		if subject.String("kind") != account.kind || slices.ContainsFunc(stay, func(o staying) bool {
			return o.created && strings.HasSuffix(o.kind, "Binding") && slices.ContainsFunc(o.values.Objects("subjects"),
				func(s props.Map) bool {
					return s.String("kind") == account.kind && s.String("namespace") == account.namespace &&
						s.String("name") == account.name
				})
		}) {
			continue
		}
		for _, o := range stay {
			if o.namespace == account.namespace && o.mentions(account) {
				return o.String() + " has its permissions from it"
			}
		}
	}
	return ""
}
