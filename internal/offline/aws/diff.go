package aws

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// diff compares the inputs of a resource of type k. An unknown value counts as different.
func diff(k *Kind, olds, news props.Map, ignored []string) props.Difference {
	d := props.Difference{Changed: map[string]pulumirpc.PropertyDiff_Kind{}}
	names := maps.Clone(olds)
	maps.Copy(names, news)
	for _, name := range names.Keys() {
		// Earlier versions kept tagsAll as an input of every type.
		former := name == "tagsAll" && !k.allTagsAreInput
		if strings.HasPrefix(name, "__") || former || !news.Has(name) && slices.Contains(k.Computed, name) {
			continue
		}
		compare(d, k, name, olds[name], news[name], ignored)
	}
	replaced := false
	for _, kind := range d.Changed {
		replaced = replaced || props.Replaces(kind)
	}
	if replaced && len(k.UniqueBy) > 0 {
		d.DeleteBeforeReplace = !slices.ContainsFunc(k.UniqueBy, func(name string) bool {
			return !reflect.DeepEqual(k.CompareAs[name].Of(olds[name]), k.CompareAs[name].Of(news[name]))
		})
	}
	return d
}

// compare notes how one input differs. Maps are compared key by key.
func compare(d props.Difference, k *Kind, name string, before, after any, ignored []string) {
	if reflect.DeepEqual(k.CompareAs[name].Of(before), k.CompareAs[name].Of(after)) ||
		props.IsBlank(before) && props.IsBlank(after) {
		return
	}
	path := resource.PropertyPath{name}
	replace := slices.Contains(k.ForceNew, name)
	olds, oldIsMap := before.(map[string]any)
	news, newIsMap := after.(map[string]any)
	if (oldIsMap || newIsMap) && (oldIsMap || before == nil) && (newIsMap || after == nil) {
		keys := maps.Clone(props.Map(olds))
		if keys == nil {
			keys = props.Map{}
		}
		maps.Copy(keys, news)
		for _, key := range keys.Keys() {
			if !reflect.DeepEqual(olds[key], news[key]) {
				d.Note(append(slices.Clone(path), key), olds[key] != nil, news[key] != nil, replace, ignored)
			}
		}
		return
	}
	d.Note(path, before != nil, after != nil, replace, ignored)
}
