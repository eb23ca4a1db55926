package props

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Difference is the effect of a change of inputs.
type Difference struct {
	Changed map[string]pulumirpc.PropertyDiff_Kind
	// DeleteBeforeReplace is true of a replacement that cannot exist at the same time as the old resource.
	DeleteBeforeReplace bool
}

// Note adds a difference between two values, unless its path is ignored.
func (d Difference) Note(path resource.PropertyPath, before, after, replace bool, ignored []string) {
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
		kind++ // each kind is followed by the same kind with a replacement
	}
	d.Changed[path.String()] = kind
}

// Replaces reports whether a difference of that kind replaces the resource.
func Replaces(kind pulumirpc.PropertyDiff_Kind) bool {
	return kind == pulumirpc.PropertyDiff_ADD_REPLACE || kind == pulumirpc.PropertyDiff_DELETE_REPLACE ||
		kind == pulumirpc.PropertyDiff_UPDATE_REPLACE
}

// Response returns the difference in the form of the provider's response.
func (d Difference) Response() *pulumirpc.DiffResponse {
	r := &pulumirpc.DiffResponse{
		Changes:             pulumirpc.DiffResponse_DIFF_NONE,
		DeleteBeforeReplace: d.DeleteBeforeReplace,
		HasDetailedDiff:     true,
		DetailedDiff:        map[string]*pulumirpc.PropertyDiff{},
	}
	for _, path := range slices.Sorted(maps.Keys(d.Changed)) {
		r.Changes = pulumirpc.DiffResponse_DIFF_SOME
		r.DetailedDiff[path] = &pulumirpc.PropertyDiff{Kind: d.Changed[path], InputDiff: true}
		property := Failure{Path: path}.Property()
		if !slices.Contains(r.Diffs, property) {
			r.Diffs = append(r.Diffs, property)
		}
		if Replaces(d.Changed[path]) && !slices.Contains(r.Replaces, property) {
			r.Replaces = append(r.Replaces, property)
		}
	}
	return r
}
