package offline

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// form brings a value into the form in which two of them are compared.
type form int

const (
	// asIs compares values as they are.
	_ form = iota
	// asSet compares lists without their order.
	asSet
	// asDocument compares JSON texts by what they say.
	asDocument
	// asURL leaves out the scheme.
	asURL
	// asDomain leaves out case and the last dot.
	asDomain
)

// difference is what a change of inputs comes to.
type difference struct {
	changed map[string]pulumirpc.PropertyDiff_Kind
	// deleteFirst is true of a replacement that cannot stand beside what it replaces.
	deleteFirst bool
}

// diff compares the inputs of a resource of k. A value that is not known yet differs.
func diff(k *kind, olds, news props, ignored []string) difference {
	d := difference{changed: map[string]pulumirpc.PropertyDiff_Kind{}}
	names := maps.Clone(olds)
	maps.Copy(names, news)
	for _, name := range names.keys() {
		if strings.HasPrefix(name, "__") || !news.has(name) && slices.Contains(k.computed, name) {
			continue
		}
		d.compare(k, name, olds[name], news[name], ignored)
	}
	replaced := false
	for _, kind := range d.changed {
		replaced = replaced || replaces(kind)
	}
	if replaced && len(k.unique) > 0 {
		d.deleteFirst = !slices.ContainsFunc(k.unique, func(name string) bool {
			return !reflect.DeepEqual(k.forms[name].of(olds[name]), k.forms[name].of(news[name]))
		})
	}
	return d
}

// compare notes how one input differs; maps are compared key by key.
func (d difference) compare(k *kind, name string, before, after any, ignored []string) {
	if reflect.DeepEqual(k.forms[name].of(before), k.forms[name].of(after)) || blank(before) && blank(after) {
		return
	}
	path := resource.PropertyPath{name}
	replace := slices.Contains(k.replaces, name)
	olds, oldIsMap := before.(map[string]any)
	news, newIsMap := after.(map[string]any)
	if (oldIsMap || newIsMap) && (oldIsMap || before == nil) && (newIsMap || after == nil) {
		keys := maps.Clone(props(olds))
		if keys == nil {
			keys = props{}
		}
		maps.Copy(keys, news)
		for _, key := range keys.keys() {
			if !reflect.DeepEqual(olds[key], news[key]) {
				d.note(append(slices.Clone(path), key), olds[key] != nil, news[key] != nil, replace, ignored)
			}
		}
		return
	}
	d.note(path, before != nil, after != nil, replace, ignored)
}

func (d difference) note(path resource.PropertyPath, before, after, replace bool, ignored []string) {
	for _, pattern := range ignored {
		if ignoring, err := resource.ParsePropertyPath(pattern); err == nil && ignoring.Contains(path) {
			return
		}
	}
	kind := pulumirpc.PropertyDiff_UPDATE
	switch {
	case !before:
		kind = pulumirpc.PropertyDiff_ADD
	case !after:
		kind = pulumirpc.PropertyDiff_DELETE
	}
	if replace {
		kind++ // each kind is followed by its replacing one
	}
	d.changed[path.String()] = kind
}

func replaces(kind pulumirpc.PropertyDiff_Kind) bool {
	return kind == pulumirpc.PropertyDiff_ADD_REPLACE || kind == pulumirpc.PropertyDiff_DELETE_REPLACE ||
		kind == pulumirpc.PropertyDiff_UPDATE_REPLACE
}

func (d difference) response() *pulumirpc.DiffResponse {
	r := &pulumirpc.DiffResponse{
		Changes:             pulumirpc.DiffResponse_DIFF_NONE,
		DeleteBeforeReplace: d.deleteFirst,
		HasDetailedDiff:     true,
		DetailedDiff:        map[string]*pulumirpc.PropertyDiff{},
	}
	for _, path := range slices.Sorted(maps.Keys(d.changed)) {
		r.Changes = pulumirpc.DiffResponse_DIFF_SOME
		r.DetailedDiff[path] = &pulumirpc.PropertyDiff{Kind: d.changed[path], InputDiff: true}
		property := failure{path: path}.property()
		if !slices.Contains(r.Diffs, property) {
			r.Diffs = append(r.Diffs, property)
		}
		if replaces(d.changed[path]) && !slices.Contains(r.Replaces, property) {
			r.Replaces = append(r.Replaces, property)
		}
	}
	return r
}

func (f form) of(v any) any {
	if v == nil || holdsUnknown(v) {
		return v
	}
	text, isText := v.(string)
	switch {
	case f == asSet:
		return sorted(v)
	case f == asDocument && isText:
		return canonicalJSON(text)
	case f == asURL && isText:
		_, rest, found := strings.Cut(text, "://")
		if found {
			return rest
		}
	case f == asDomain && isText:
		return strings.ToLower(strings.TrimSuffix(text, "."))
	}
	return v
}

// sorted is a list without its order. What says nothing in its objects is left out: an absent "self" is a false one.
func sorted(v any) any {
	l, ok := v.([]any)
	if !ok {
		return v
	}
	l = slices.Clone(l)
	for i, e := range l {
		if o, ok := e.(map[string]any); ok {
			o = maps.Clone(o)
			for k, inner := range o {
				o[k] = sorted(inner)
			}
			maps.DeleteFunc(o, func(_ string, v any) bool { return blank(v) })
			l[i] = o
		}
	}
	slices.SortFunc(l, func(a, b any) int { return strings.Compare(jsonText(a), jsonText(b)) })
	return l
}

// same says whether now is old, in f's form. The objects of a list may have gained what AWS fills in.
func (f form) same(old, now any) bool {
	return covers(f.of(old), f.of(now), f == asSet)
}

func covers(old, now any, unordered bool) bool {
	olds, isList := old.([]any)
	nows, _ := now.([]any)
	if !isList || len(olds) != len(nows) {
		return reflect.DeepEqual(old, now) || blank(old) && blank(now)
	}
	nows = slices.Clone(nows)
	for i, o := range olds {
		at := i
		if unordered {
			at = slices.IndexFunc(nows, func(n any) bool { return coversObject(o, n) })
		}
		if at < 0 || !coversObject(o, nows[at]) {
			return false
		}
		nows[at] = nil // each counts once
	}
	return true
}

func coversObject(old, now any) bool {
	o, isObject := old.(map[string]any)
	n, _ := now.(map[string]any)
	if !isObject || n == nil {
		return reflect.DeepEqual(old, now)
	}
	for k, v := range o {
		if !covers(v, n[k], true) {
			return false
		}
	}
	return true
}

func jsonText(v any) string {
	text, _ := json.Marshal(v) // property values always marshal
	return string(text)
}
