package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// staying is a Kubernetes object of a plan.
type staying struct {
	kind, namespace, name string
	values                props.Map
	created               bool
	// runs is true if the object's pods stay as they are.
	runs bool
}

func objectOf(step *changes.Step, values map[string]any) staying {
	m := props.Map(values)
	after := step.New
	if len(after) == 0 {
		after = step.Old
	}
	return staying{
		kind: m.String("kind"), namespace: m.String("metadata", "namespace"), name: m.String("metadata", "name"),
		values: m, created: step.Change == changes.Create,
		runs: step.Change != changes.Create && reflect.DeepEqual(template(step.Old), template(after)),
	}
}

// template returns the template of an object's pods, nil for an object without pods.
func template(object map[string]any) any { return props.Map(object).At("spec", "template") }

func (o staying) text(path ...string) string { return o.values.String(path...) }

func (o staying) String() string { return fmt.Sprintf("%s %s", o.kind, o.name) }

// needer says which object of a plan that stays needs the object that a step deletes, or what an update takes from it:
// "Deployment operator runs as it". It is "" for other steps, and if no object needs it.
func needer(plan *changes.Plan, step *changes.Step) string {
	if step.Leftover || !strings.HasPrefix(step.Type, "kubernetes:") {
		return ""
	}
	if step.Change == changes.Delete {
		return neededBy(objectOf(step, step.Old), stayingIn(plan))
	}
	if step.Change == changes.Update {
		return restrictedBy(objectOf(step, step.Old), objectOf(step, step.New), stayingIn(plan))
	}
	return ""
}

// stayingIn returns the objects of a plan that it does not delete.
func stayingIn(plan *changes.Plan) (stay []staying) {
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
	return stay
}

// neededBy is needer for an object that is deleted.
func neededBy(gone staying, stay []staying) string {
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

// restrictedBy is needer for an object that is updated: the rules of a role, the subjects of a binding, or the pods and
// ports of a Service. What runs with other pods afterwards, as after an upgrade, may need less.
func restrictedBy(before, after staying, stay []staying) string {
	switch before.kind {
	case "ClusterRole", "Role":
		lost := lostRule(before, after)
		if lost == "" {
			return ""
		}
		for _, binding := range stay {
			if binding.text("roleRef", "kind") != before.kind || binding.text("roleRef", "name") != before.name {
				continue
			}
			if who := runsAs(binding.values.Objects("subjects"), stay); who != "" {
				return who + " has the permission to " + lost + " from it"
			}
		}
	case "ClusterRoleBinding", "RoleBinding":
		lost := slices.DeleteFunc(before.values.Objects("subjects"), func(s props.Map) bool {
			return slices.ContainsFunc(after.values.Objects("subjects"), func(o props.Map) bool {
				return reflect.DeepEqual(s, o)
			})
		})
		if who := runsAs(lost, stay); who != "" {
			return who + " has its permissions from it"
		}
	case "Service":
		if reaches(after, before, stay) {
			return ""
		}
		for _, o := range stay {
			if o.mentions(before) {
				return o.String() + " calls it"
			}
		}
	}
	return ""
}

// reaches reports whether a Service still has its former ports, and selects pods of an object that stays, if it did.
func reaches(after, before staying, stay []staying) bool {
	ports := func(of staying) (list []string) {
		for _, port := range of.values.Object("spec").Objects("ports") {
			list = append(list, fmt.Sprint(port["port"]))
		}
		return list
	}
	selects := func(of staying) bool {
		wanted := of.values.Object("spec").Object("selector")
		return slices.ContainsFunc(stay, func(o staying) bool {
			labels := o.values.Object("spec").Object("template").Object("metadata").Object("labels")
			for key, value := range wanted {
				if labels[key] != value {
					return false
				}
			}
			return o.namespace == of.namespace && len(labels) > 0
		})
	}
	left := ports(after)
	return (!selects(before) || selects(after)) && !slices.ContainsFunc(ports(before), func(port string) bool {
		return !slices.Contains(left, port)
	})
}

// runsAs returns the object whose pods stay as they are, and run as one of the service accounts.
func runsAs(subjects []props.Map, stay []staying) string {
	for _, subject := range subjects {
		account := staying{kind: "ServiceAccount", namespace: subject.String("namespace"), name: subject.String("name")}
		for _, o := range stay {
			if subject.String("kind") == account.kind && o.namespace == account.namespace && o.runs && o.mentions(account) {
				return o.String()
			}
		}
	}
	return ""
}

// lostRule returns a permission that a role had, and no longer has: "get deployments"; "" for none.
func lostRule(before, after staying) string {
	_, lost := validation.Covers(rulesOf(after), rulesOf(before))
	if len(lost) == 0 {
		return ""
	}
	return strings.Join(slices.Concat(lost[0].Verbs, lost[0].Resources, lost[0].NonResourceURLs), " ")
}

func rulesOf(role staying) (rules []rbacv1.PolicyRule) {
	for _, rule := range role.values.Objects("rules") {
		rules = append(rules, rbacv1.PolicyRule{
			Verbs: rule.Strings("verbs"), APIGroups: rule.Strings("apiGroups"), Resources: rule.Strings("resources"),
			ResourceNames: rule.Strings("resourceNames"), NonResourceURLs: rule.Strings("nonResourceURLs"),
		})
	}
	return rules
}
