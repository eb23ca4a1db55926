package plan

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/sharedlist"
)

// Drift lists the differences in a plan of Stack.Drift, ordered by type and name. resources are those of the state, and
// clusters the infra IDs of further clusters of a network's stack.
func Drift(found *changes.Plan, resources []apitype.ResourceV3, clusters []string) []changes.Difference {
	var list []changes.Difference
	for _, step := range Listed(found) {
		d := changes.Difference{
			URN:  step.URN,
			Name: step.Name,
			Type: step.Type,
			ID:   step.ID,
			Gone: step.Change == changes.Delete,
		}
		if !d.Gone {
			d.Values = differing(step)
		}
		list = append(list, d)
	}
	markKept(list, resources, clusters)
	return list
}

// markKept marks the values that an update keeps after a refresh: those of shared lists, and properties whose changes
// the program ignores.
func markKept(list []changes.Difference, resources []apitype.ResourceV3, clusters []string) {
	owned := sharedlist.Owned{Clusters: clusters, VPC: func(id string) bool {
		return slices.ContainsFunc(resources, func(r apitype.ResourceV3) bool {
			return strings.HasSuffix(string(r.Type), ":Vpc") && string(r.ID) == id
		})
	}}
	ignored := map[string][]string{}
	for _, r := range resources {
		ignored[string(r.URN)] = r.IgnoreChanges
	}
	for _, d := range list {
		for i := range d.Values {
			v := &d.Values[i]
			v.Kept = slices.Contains(ignored[d.URN], v.Property) ||
				owned.Keeps(sharedlist.Of(d.Type, v.Property), v.State, v.AWS)
		}
	}
}

// Own reports whether a step of a comparison with AWS shows no change by others to the stack's resources: the stack
// only reads the resource, and its owner has deleted it; or the stack itself has associated VPCs with a zone. resources
// are those of the state.
func Own(step *changes.Step, resources []apitype.ResourceV3) bool {
	return associated(step, resources) || step.Change == changes.Delete &&
		slices.ContainsFunc(resources, func(r apitype.ResourceV3) bool { return string(r.URN) == step.URN && r.External })
}

// associated reports whether a step of a comparison with AWS shows nothing but VPCs with which resources of the state
// have associated a zone since the state last had the zone.
func associated(step *changes.Step, resources []apitype.ResourceV3) bool {
	added := map[string]bool{}
	for _, r := range resources {
		if id, _ := r.Inputs["vpcId"].(string); string(r.Type) == awstype.ZoneAssociation && r.Inputs["zoneId"] == step.ID {
			added[id] = true
		}
	}
	if len(added) == 0 || step.Change != changes.Update {
		return false
	}
	others := sharedlist.Owned{VPC: func(id string) bool { return !added[id] }}
	values := differing(step)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v changes.ValueDifference) bool {
		p := sharedlist.Of(step.Type, v.Property)
		return !others.Keeps(p, v.State, v.AWS) || len(others.Others(p, v.State)) > len(others.Others(p, v.AWS))
	})
}

// differing returns the properties of a resource that differ, ordered by name. For a Kubernetes object, they are the
// fields that the stack applies, such as "spec.replicas".
func differing(step *changes.Step) []changes.ValueDifference {
	var values []changes.ValueDifference
	if strings.HasPrefix(step.Type, "kubernetes:") {
		for _, path := range fieldsOf(nil, step.Old) {
			before, after := props.Map(step.OldOutputs).At(path...), props.Map(step.NewOutputs).At(path...)
			if !reflect.DeepEqual(before, after) {
				values = append(values, changes.ValueDifference{Property: strings.Join(path, "."), State: before, AWS: after})
			}
		}
		slices.SortFunc(values, func(a, b changes.ValueDifference) int { return strings.Compare(a.Property, b.Property) })
		return values
	}
	var properties []string
	for _, path := range step.Diffs {
		name, _, _ := strings.Cut(path, ".")
		name, _, _ = strings.Cut(name, "[")
		properties = append(properties, name)
	}
	slices.Sort(properties)
	for _, property := range slices.Compact(properties) {
		before, after := either(step.OldOutputs, step.Old, property), either(step.NewOutputs, step.New, property)
		if reflect.DeepEqual(before, after) {
			// The provider has compared the inputs: one that was not set has the same value in AWS now.
			before, after = step.Old[property], step.New[property]
		}
		values = append(values, changes.ValueDifference{Property: property, State: before, AWS: after})
	}
	return values
}

// fieldsOf returns the paths of the values in an object's inputs that are not maps, without those that the provider
// adds.
func fieldsOf(at []string, value any) [][]string {
	object, isMap := value.(map[string]any)
	if !isMap {
		return [][]string{at}
	}
	var paths [][]string
	for key, inner := range object {
		if !strings.HasPrefix(key, "__") {
			paths = append(paths, fieldsOf(append(at[:len(at):len(at)], key), inner)...)
		}
	}
	return paths
}

// either returns a resource's property: from its outputs, otherwise from its inputs.
func either(outputs, inputs map[string]any, property string) any {
	if value, ok := outputs[property]; ok {
		return value
	}
	return inputs[property]
}

// DifferenceText describes the difference, with indent before each line.
func DifferenceText(d changes.Difference, indent string) string {
	head := fmt.Sprintf("%s%s %s (%s)", indent, report.TypeName(d.Type), d.Name, d.ID)
	if d.Gone {
		return head + " was deleted\n"
	}
	if len(d.Values) == 0 {
		return head + " was changed\n"
	}
	var b strings.Builder
	b.WriteString(head + " was changed\n")
	for _, v := range d.Values {
		if derived(v.Property) && len(d.Values) > 1 {
			continue
		}
		kept := ""
		if v.Kept {
			kept = "; `up` keeps it"
		}
		for _, leaf := range leaves(v) {
			fmt.Fprintf(&b, "%s    %s: %s in the state, %s in AWS%s\n", indent, leaf.Path, shown(leaf.Old), shown(leaf.New),
				kept)
		}
	}
	return b.String()
}

// leaves returns the parts of an object or a document that differ, as a plan has them; any other value as it is.
func leaves(v changes.ValueDifference) []event.Value {
	d := differ{documents: true}
	if strings.Contains(v.Property, ".") { // the path of a field, which is none of objects
		return []event.Value{{Path: v.Property, Old: v.State, New: v.AWS}}
	}
	d.compare(resource.PropertyPath{v.Property}, v.State, v.AWS)
	return d.found
}

// shown returns a value as JSON, strings without quotes.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "(none)"
	case map[string]any, []any:
		if text, err := json.Marshal(v); err == nil {
			return report.OneLine(string(text)) // JSON escapes the first 32 control characters alone
		}
	}
	if value == any(changes.UnknownValue) {
		return "(known after apply)"
	}
	return report.OneLine(fmt.Sprint(value))
}

// DriftText describes the differences, resource by resource; "" if there are none.
func DriftText(list []changes.Difference) string {
	var b strings.Builder
	for _, d := range list {
		b.WriteString(DifferenceText(d, "  "))
	}
	return b.String()
}
