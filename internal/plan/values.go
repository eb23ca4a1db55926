package plan

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Values returns the inputs that the step changes, leaf by leaf, ordered by path: those of a new resource too, and none
// of a deleted or imported one. Secrets are hidden, and inputs that the provider derives from others are left out.
func Values(s *changes.Step) []event.Value {
	if s.Leftover || s.Change != changes.Create && s.Change != changes.Update && s.Change != changes.Replace {
		return nil
	}
	d := differ{documents: s.Change != changes.Create}
	before, after := visible(s, s.Old), visible(s, s.New)
	d.objects(nil, before, after)
	d.unexplained(s, before, after)
	for i := range d.found {
		key, _, _ := strings.Cut(d.found[i].Path, ".")
		key, _, _ = strings.Cut(key, "[")
		d.found[i].Replaces = s.Change == changes.Replace && slices.Contains(s.Keys, key)
	}
	return d.found
}

// visible returns inputs without secrets and without those that the provider derives: "tagsAll" has the tags of the
// resource and of its provider, "__defaults" what was not set.
func visible(s *changes.Step, inputs map[string]any) map[string]any {
	shown, _ := props.HideSecrets(inputs).(map[string]any)
	maps.DeleteFunc(shown, func(key string, _ any) bool { return derived(key) })
	if s.Type == "kubernetes:core/v1:Secret" {
		for _, key := range []string{"data", "stringData"} {
			if shown[key] != nil {
				shown[key] = props.Hidden
			}
		}
	}
	return shown
}

// Between returns the values that two objects differ in, leaf by leaf, ordered by path.
func Between(before, after map[string]any) []event.Value {
	var d differ
	d.objects(nil, before, after)
	return d.found
}

func derived(key string) bool { return key == "tagsAll" || strings.HasPrefix(key, "__") }

// differ finds the leaves in which two values differ.
type differ struct {
	// documents is true if a text that is a document in JSON is compared as one.
	documents bool
	found     []event.Value
}

// compare adds the differences between two values at a path; nil is no value.
func (d *differ) compare(path resource.PropertyPath, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	if hidden(before) || hidden(after) {
		d.add(path, masked(before), masked(after))
		return
	}
	if d.documents {
		if a, b := document(before), document(after); a != nil && b != nil {
			before, after = a, b
		}
	}
	a, wasObject := before.(map[string]any)
	b, isObject := after.(map[string]any)
	if (wasObject || before == nil) && (isObject || after == nil) && len(a)+len(b) > 0 {
		d.objects(path, a, b)
		return
	}
	c, wasList := before.([]any)
	e, isList := after.([]any)
	if wasList && isList || (wasList && after == nil || isList && before == nil) && !flat(c, e) {
		d.lists(path, c, e)
		return
	}
	d.add(path, before, after)
}

func (d *differ) add(path resource.PropertyPath, before, after any) {
	v := event.Value{Path: path.String(), Old: before, New: after}
	if text, ok := after.(string); ok && strings.Contains(text, changes.UnknownValue) {
		v.New, v.Unknown = nil, true
	}
	d.found = append(d.found, v)
}

func (d *differ) objects(path resource.PropertyPath, before, after map[string]any) {
	for _, key := range union(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
		if !strings.HasPrefix(key, "__") {
			d.compare(below(path, key), before[key], after[key])
		}
	}
	if len(path) == 0 {
		slices.SortStableFunc(d.found, func(a, b event.Value) int { return strings.Compare(a.Path, b.Path) })
	}
}

// lists compares what only one of two lists has. The rest is paired by its name, otherwise in order; an index is that
// of the new list, and of the old one for what is removed.
func (d *differ) lists(path resource.PropertyPath, before, after []any) {
	removed, added := rest(before, after), rest(after, before)
	if len(removed)+len(added) == 0 {
		d.add(path, before, after) // another order
		return
	}
	for len(removed) > 0 || len(added) > 0 {
		switch {
		case len(removed) == 0:
			d.compare(below(path, added[0]), nil, after[added[0]])
			added = added[1:]
			continue
		case len(added) == 0:
			d.compare(below(path, removed[0]), before[removed[0]], nil)
			removed = removed[1:]
			continue
		}
		old := before[removed[0]]
		i := slices.IndexFunc(added, func(i int) bool { return identity(old) == identity(after[i]) })
		switch {
		case i >= 0:
			d.compare(below(path, added[i]), old, after[added[i]])
			added = slices.Delete(added, i, i+1)
		default:
			d.compare(below(path, removed[0]), old, nil)
		}
		removed = removed[1:]
	}
}

// rest returns the indices of what a list has and another has not.
func rest(list, other []any) []int {
	left := slices.Clone(other)
	var indices []int
	for i, value := range list {
		if at := slices.IndexFunc(left, func(o any) bool { return reflect.DeepEqual(o, value) }); at >= 0 {
			left = slices.Delete(left, at, at+1)
			continue
		}
		indices = append(indices, i)
	}
	return indices
}

// identity returns what names an element of a list; "" if nothing does.
func identity(element any) string {
	object, _ := element.(map[string]any)
	for _, key := range []string{"name", "Sid", "key", "id", "type"} {
		if name, ok := object[key].(string); ok {
			return name
		}
	}
	return ""
}

// unexplained adds what the provider reports to change although the inputs show nothing: a secret, whose values are
// hidden, or an input whose value was changed in AWS.
func (d *differ) unexplained(s *changes.Step, before, after map[string]any) {
	if s.Change == changes.Create {
		return
	}
	found := d.found
	for _, text := range slices.Concat(s.Detailed, s.Diffs, s.Keys) {
		path, err := resource.ParsePropertyPath(text)
		if err != nil || len(path) == 0 || derived(key(path[0])) {
			continue
		}
		if slices.ContainsFunc(found, func(v event.Value) bool { return related(v.Path, path.String()) }) {
			continue
		}
		was, is := at(before, path), at(after, path)
		if reflect.DeepEqual(was, is) && !hidden(is) {
			if output := at(visible(s, s.OldOutputs), path); output != nil {
				was = output
			}
		}
		switch {
		case hidden(was) || hidden(is):
			d.add(path, masked(was), masked(is))
		case reflect.DeepEqual(was, is):
			d.add(path, nil, nil)
		default:
			d.compare(path, was, is)
		}
		found = d.found
	}
	slices.SortStableFunc(d.found, func(a, b event.Value) int { return strings.Compare(a.Path, b.Path) })
}

// related reports whether one of two paths contains the other.
func related(a, b string) bool {
	within := func(inner, outer string) bool {
		tail, ok := strings.CutPrefix(inner, outer)
		return ok && (tail == "" || tail[0] == '.' || tail[0] == '[')
	}
	return within(a, b) || within(b, a)
}

func key(step any) string { text, _ := step.(string); return text }

// at returns the value at a path; Hidden in a secret, and nil if there is none.
func at(value any, path resource.PropertyPath) any {
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[key(step)]
		case []any:
			i, ok := step.(int)
			if !ok || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			if hidden(v) {
				return v
			}
			return nil
		}
	}
	return value
}

func below(path resource.PropertyPath, step any) resource.PropertyPath {
	return append(path[:len(path):len(path)], step)
}

// hidden reports whether a value is a secret or text with one.
func hidden(value any) bool {
	text, ok := value.(string)
	return ok && strings.Contains(text, props.Hidden)
}

// masked returns a value that may not be shown.
func masked(value any) any {
	if value == nil {
		return nil
	}
	return props.Hidden
}

// document returns the document in JSON that a text is, nil for other values.
func document(value any) any {
	text, _ := value.(string)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil
	}
	var parsed any
	if json.Unmarshal([]byte(text), &parsed) != nil {
		return nil
	}
	return parsed
}

// flat reports whether lists have only plain values.
func flat(lists ...[]any) bool {
	return !slices.ContainsFunc(slices.Concat(lists...), func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return hidden(v)
	})
}
