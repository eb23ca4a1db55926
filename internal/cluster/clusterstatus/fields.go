package clusterstatus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Applied is a HostedCluster or NodePool that a stack applies.
type Applied struct {
	// Object has the values of the stack's file.
	Object map[string]any
	// Inputs are the inputs in the stack's state, and Sent what the last request of them sent; nil for a new object.
	Inputs, Sent map[string]any
	// Key returns the config key of a field such as "spec.replicas".
	Key func(path string) string
}

// Kind returns the object's kind.
func (a Applied) Kind() string { return objectKind(a.Object) }

// FieldConflict is a field that another client of the management cluster has changed, and that an update therefore
// leaves as it is.
type FieldConflict struct {
	// Kind, Namespace and Name are the object's, and Path is the field's names.
	Kind, Namespace, Name string
	Path                  []string
	// Key is the field's config key, and Manager its field manager in the management cluster.
	Key, Manager string
	// Live is the value in the management cluster, and File the value in the stack's file; nil for none.
	Live, File any
	// Same is true if both values mean the same: there is nothing to decide.
	Same bool
}

// Object returns the object's kind and name, "NodePool/demo".
func (f FieldConflict) Object() string { return f.Kind + "/" + f.Name }

// Automatic reports whether an update takes the field back without being told so: HyperShift's operator becomes the
// manager of the resource tags of a HostedCluster that an earlier version created, because it adds its own tag.
func (f FieldConflict) Automatic() bool {
	return f.Kind == crd.HostedCluster && f.Manager == hypershiftManager && slices.Equal(f.Path,
		[]string{"spec", "platform", "aws", "resourceTags"})
}

// Encrypts reports whether the field decides how etcd is encrypted: it is never taken back.
func (f FieldConflict) Encrypts() bool {
	return len(f.Path) > 1 && f.Path[0] == "spec" && (f.Path[1] == "secretEncryption" || f.Path[1] == "etcd")
}

// String returns a sentence with both values.
func (f FieldConflict) String() string {
	return fmt.Sprintf("%s is held by %s: %s; file: %s", f.Key, f.Manager, valueText(f.Live), valueText(f.File))
}

func valueText(value any) string {
	if value == nil {
		return "none"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// FindConflicts returns the fields of the objects that other clients of the management cluster have changed, in the
// order of the objects. An object that does not exist has none.
func FindConflicts(ctx context.Context, api ManagementCluster, objects []Applied) ([]FieldConflict, error) {
	var held []FieldConflict
	living := map[string]map[string]any{}
	listed := map[[2]string]bool{}
	for _, of := range objects {
		at := [2]string{of.Kind(), textAt(of.Object, "metadata", "namespace")}
		if listed[at] {
			continue
		}
		listed[at] = true
		list, err := api.List(ctx, at[0], at[1]) // its user may have rights in this namespace alone
		if err != nil {
			return nil, err
		}
		for _, object := range list {
			living[identity(object)] = object
		}
	}
	for _, of := range objects {
		live := living[objectKind(of.Object)+" "+identityIn(of.Object)]
		if live == nil {
			continue
		}
		fields, err := of.held(ctx, api, live)
		if err != nil {
			return nil, err
		}
		held = append(held, fields...)
	}
	return held, nil
}

func identity(object map[string]any) string { return objectKind(object) + " " + identityIn(object) }

func objectKind(object map[string]any) string { return textAt(object, "kind") }

func identityIn(object map[string]any) string {
	return textAt(object, "metadata", "namespace") + "/" + textAt(object, "metadata", "name")
}

// held returns the held fields of an object, ordered by path.
func (a Applied) held(ctx context.Context, api ManagementCluster, live map[string]any) ([]FieldConflict, error) {
	managers := map[string]string{} // by path
	note := func(path []string, manager string) {
		text := strings.Join(path, ".")
		if before := managers[text]; before == "" {
			managers[text] = manager
		} else if !slices.Contains(strings.Split(before, ", "), manager) {
			managers[text] = before + ", " + manager
		}
	}
	if err := api.DryApply(ctx, hypershift.FieldManager, a.Object); err != nil {
		if !answersConflicts(err) {
			return nil, err
		}
		for _, c := range conflictsIn(err) {
			if !strings.HasPrefix(c.manager, "pulumi-kubernetes") { // the stack's own, from the creation of the object
				note(simplePath(a.Object, c.field), c.manager)
			}
		}
	}
	// What kubectl changed belongs to the stack after an update of the object, which left the value as it was.
	for _, path := range leafPaths(nil, a.Inputs["spec"]) {
		path = append([]string{"spec"}, path...)
		input, _, _ := unstructured.NestedFieldNoCopy(a.Inputs, path...)
		sent, was, _ := unstructured.NestedFieldNoCopy(a.Sent, path...)
		now, _, _ := unstructured.NestedFieldNoCopy(live, path...)
		if was && !sameValue(sent, input) && sameValue(sent, now) {
			note(path, "kubectl")
		}
	}
	a.noteRemoved(live, note)
	var held []FieldConflict
	for _, text := range slices.Sorted(maps.Keys(managers)) {
		path := strings.Split(text, ".")
		now, exists, _ := unstructured.NestedFieldNoCopy(live, path...)
		file, wanted, _ := unstructured.NestedFieldNoCopy(a.Object, path...)
		f := FieldConflict{
			Kind: objectKind(live), Namespace: textAt(live, "metadata", "namespace"), Name: textAt(live, "metadata", "name"),
			Path: path, Manager: managers[text], Key: a.Key(text),
		}
		if exists {
			f.Live = now
		}
		if wanted {
			f.File = file
		}
		f.Same = wanted && exists && covers(now, file)
		held = append(held, f)
	}
	return held, nil
}

// noteRemoved notes the size of a NodePool that another client manages and that the file replaces by the other kind of
// size: replicas by autoScaling, or back. Both together are refused.
func (a Applied) noteRemoved(live map[string]any, note func([]string, string)) {
	if objectKind(live) != crd.NodePool {
		return
	}
	for _, size := range []string{"replicas", "autoScaling"} {
		path := []string{"spec", size}
		_, exists, _ := unstructured.NestedFieldNoCopy(live, path...)
		_, wanted, _ := unstructured.NestedFieldNoCopy(a.Object, path...)
		if !exists || wanted {
			continue
		}
		for _, entry := range fieldManagers(live, path) {
			if entry.Manager != hypershift.FieldManager && !strings.HasPrefix(entry.Manager, "pulumi-kubernetes") {
				note(path, entry.Manager)
			}
		}
	}
}

// fieldManagers returns the entries of managedFields that have a field.
func fieldManagers(object map[string]any, path []string) []metav1.ManagedFieldsEntry {
	var entries []metav1.ManagedFieldsEntry
	for _, entry := range (&unstructured.Unstructured{Object: object}).GetManagedFields() {
		if entry.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		keys := make([]string, len(path))
		for i, key := range path {
			keys[i] = "f:" + key
		}
		if _, has, _ := unstructured.NestedFieldNoCopy(fields, keys...); has {
			entries = append(entries, entry)
		}
	}
	return entries
}

// Resizing returns the names of the NodePools whose size changes from replicas to autoScaling, or back. A dry run of
// that is refused for a pool that the stack has not applied since its creation, or whose size is held.
func Resizing(objects []Applied) []string {
	var names []string
	for _, a := range objects {
		if objectKind(a.Object) != crd.NodePool || a.Inputs == nil {
			continue
		}
		_, before, _ := unstructured.NestedFieldNoCopy(a.Inputs, "spec", "autoScaling")
		_, after, _ := unstructured.NestedFieldNoCopy(a.Object, "spec", "autoScaling")
		if before != after {
			names = append(names, textAt(a.Object, "metadata", "name"))
		}
	}
	return names
}

// conflict is a conflict of a server-side apply.
type conflict struct{ field, manager string }

// conflictManager matches the manager in the message of a conflict.
var conflictManager = regexp.MustCompile(`^conflict with "([^"]*)"`)

// answersConflicts reports whether the error of a dry run says that there are conflicts, or that there are none: an API
// server compares the managers of fields before it judges an object, and calls webhooks after that. Without an answer,
// an update might take over what others hold.
func answersConflicts(err error) bool {
	return Lasting(err) || strings.Contains(err.Error(), "failed calling webhook")
}

// conflictsIn returns the conflicts in the API server's error, none for other errors: the engine reports those.
func conflictsIn(err error) []conflict {
	var status apierrors.APIStatus
	if !apierrors.IsConflict(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var found []conflict
	for _, cause := range status.Status().Details.Causes {
		if match := conflictManager.FindStringSubmatch(cause.Message); match != nil &&
			cause.Type == metav1.CauseTypeFieldManagerConflict {
			found = append(found, conflict{cause.Field, match[1]})
		}
	}
	return found
}

// simpleKey matches the names of fields that the provider can leave as they are; for others it leaves the field around
// them.
var simpleKey = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// simplePath returns the path of a field of an object. For an element of a list, or a key with other characters, it is
// the path of the map around it.
func simplePath(object map[string]any, field string) []string {
	field, _, _ = strings.Cut(strings.TrimPrefix(field, "."), "[")
	var path []string
	var at any = object
	for _, key := range strings.Split(field, ".") {
		inner, isMap := at.(map[string]any)
		value, exists := inner[key]
		if !isMap || !exists || !simpleKey.MatchString(key) {
			break
		}
		path, at = append(path, key), value
	}
	return path
}

// leafPaths returns the paths of the values in a map that are not maps; those below keys with other characters are
// missing.
func leafPaths(at []string, value any) [][]string {
	object, isMap := value.(map[string]any)
	if !isMap {
		return [][]string{at}
	}
	var paths [][]string
	for key, inner := range object {
		if simpleKey.MatchString(key) {
			paths = append(paths, leafPaths(append(at[:len(at):len(at)], key), inner)...)
		}
	}
	return paths
}

func sameValue(a, b any) bool { return valueText(a) == valueText(b) }

// covers reports whether a value has everything that another has. Lists must have the same length.
func covers(value, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		object, isMap := value.(map[string]any)
		for key, inner := range wanted {
			if !isMap || !covers(object[key], inner) {
				return false
			}
		}
		return isMap
	case []any:
		list, isList := value.([]any)
		if !isList || len(list) != len(wanted) {
			return false
		}
		for i := range wanted {
			if !covers(list[i], wanted[i]) {
				return false
			}
		}
		return true
	}
	return sameValue(value, wanted)
}
