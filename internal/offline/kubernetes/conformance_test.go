package kubernetes

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// answer is what an API server says to a request.
type answer struct {
	Code            int
	Reason, Message string
	Object          map[string]any
}

// judged is an API as the script of the conformance test uses it.
type judged interface {
	// create creates an object as pulumi-kubernetes does: by a plain creation.
	create(k *ObjectKind, object props.Map) answer
	// apply applies fields as a manager.
	apply(k *ObjectKind, object props.Map, manager string, force bool) answer
	// dryApply is the preview of apply.
	dryApply(k *ObjectKind, object props.Map, manager string) answer
	// scale sets the replicas by the subresource, as kubectl scale does, and returns the object.
	scale(k *ObjectKind, namespace, name string, replicas int) answer
	// edit writes an object back by an update.
	edit(k *ObjectKind, namespace, name, manager string, change func(map[string]any)) answer
	// remove requests a foreground deletion.
	remove(k *ObjectKind, namespace, name string) answer
	get(k *ObjectKind, namespace, name string) answer
}

// double is the offline cluster's API.
type double struct {
	t       *testing.T
	cluster *Cluster
	// applied is what each manager applied last to an object.
	applied map[string]props.Map
}

func (d *double) answered(code int, object props.Map, err error) answer {
	d.t.Helper()
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &status):
		s := status.Status()
		return answer{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message}
	case err != nil:
		return answer{Code: http.StatusInternalServerError, Message: err.Error()} // as the API server writes any other error
	}
	return answer{Code: code, Object: object}
}

func (d *double) create(k *ObjectKind, object props.Map) answer {
	_, out, err := d.cluster.create(k, object, WriteOptions{})
	return d.answered(http.StatusCreated, out, err)
}

func (d *double) apply(k *ObjectKind, object props.Map, manager string, force bool) answer {
	code, key := http.StatusOK, k.ID(object)+" "+manager
	if k.patches != "" && d.get(k, "", object.Object("metadata").String("name")).Code == http.StatusNotFound {
		code = http.StatusCreated
	}
	out, err := d.cluster.update(k, k.ID(object), object, WriteOptions{
		manager: manager,
		force:   force,
		was:     d.applied[key],
	})
	if err == nil {
		d.applied[key] = object
	}
	return d.answered(code, out, err)
}

func (d *double) dryApply(k *ObjectKind, object props.Map, manager string) answer {
	out, err := d.cluster.update(k, k.ID(object), object, WriteOptions{manager: manager, dry: true})
	return d.answered(http.StatusOK, out, err)
}

func (d *double) scale(k *ObjectKind, namespace, name string, replicas int) answer {
	if err := d.cluster.Scale(k.kind, namespace, name, replicas); err != nil {
		return d.answered(0, nil, err)
	}
	return d.get(k, namespace, name)
}

func (d *double) edit(k *ObjectKind, namespace, name, manager string, change func(map[string]any)) answer {
	if err := d.cluster.Edit(k.kind, namespace, name, manager, change); err != nil {
		return d.answered(0, nil, err)
	}
	return answer{Code: http.StatusOK, Object: d.get(k, namespace, name).Object}
}

// remove does the API server's part of a deletion: the garbage collector is not there.
func (d *double) remove(k *ObjectKind, namespace, name string) answer {
	id := strings.TrimPrefix(namespace+"/"+name, "/")
	found := false
	err := d.cluster.folder.Transact(func(t *store.Tx) error {
		rec := t.Get(k.key(id))
		if found = rec != nil; !found {
			return apierrors.NewNotFound(k.resource(), name)
		}
		Delete(t, inForeground(rec))
		return nil
	})
	if err != nil {
		return d.answered(0, nil, err)
	}
	return d.get(k, namespace, name)
}

func (d *double) get(k *ObjectKind, namespace, name string) answer {
	object, err := d.cluster.Get(k.kind, namespace, name)
	if err == nil && object == nil {
		err = apierrors.NewNotFound(k.resource(), name)
	}
	return d.answered(http.StatusOK, object, err)
}

// TestTheOfflineClusterAnswersAsAnAPIServer runs one script against both. Of fields that the definitions lack it has no
// step: the offline cluster keeps those below spec, as a newer version does that has them. make conformance builds what
// it needs.
func TestTheOfflineClusterAnswersAsAnAPIServer(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the offline cluster against a real API server, which make conformance builds and starts")
	}
	real := startAPIServer(t, *apiserver.Folder)
	real.install("../../../internal/value/hypershift/crd/hostedclusters.json",
		"../../../internal/value/hypershift/crd/nodepools.json")
	cluster, err := Open(t.TempDir(), "conformance", idle{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = cluster.Close() })
	offline := &double{t: t, cluster: cluster, applied: map[string]props.Map{}}
	var table strings.Builder
	for _, step := range script() {
		want, got := settled(t, step.kind, step.do(real)), settled(t, step.kind, step.do(offline))
		said := fmt.Sprintf("%d %s", want.Code, want.Reason)
		if real.minor() != wordedLike {
			want.Message, got.Message = withoutValue(want.Message), withoutValue(got.Message)
		}
		if !equal(want, got) {
			t.Errorf("%s:\nAPI server: %s\noffline:    %s", step.name, text(want), text(got))
		}
		fmt.Fprintf(&table, "| %s | %s | the same |\n", step.name, strings.TrimSpace(said))
	}
	requireTable(t, table.String())
}

// wordedLike is the minor version of Kubernetes 1 whose messages the offline cluster writes: that of the libraries in
// go.mod. In those about rules, servers before 1.35 write the type of a refused value, and those before 1.34 "null" for
// null.
const wordedLike = 37

var refusedValue = regexp.MustCompile(`Invalid value: (?:(?:"[^"]*"|null): )?`)

func withoutValue(message string) string {
	return refusedValue.ReplaceAllString(message, "Invalid value: ")
}

func equal(a, b answer) bool { return text(a) == text(b) }

func text(a answer) string {
	out, _ := json.MarshalIndent(a, "", " ") // plain data
	return string(out)
}

// settled returns an answer without what differs from server to server: IDs, times and versions; and without what the
// offline cluster does not keep on purpose, which test/ledgers/conformance.md lists.
func settled(t *testing.T, k *ObjectKind, a answer) answer {
	t.Helper()
	if a.Object == nil {
		return a
	}
	var object props.Map
	written, err := json.Marshal(a.Object)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(written, &object))
	metadata := object.Object("metadata")
	for _, name := range []string{"uid", "creationTimestamp", "resourceVersion"} {
		require.NotEmpty(t, metadata[name], name)
		delete(metadata, name)
	}
	if metadata.Has("deletionTimestamp") {
		metadata["deletionTimestamp"] = "set"
	}
	if metadata["deletionGracePeriodSeconds"] == 0.0 {
		delete(metadata, "deletionGracePeriodSeconds") // core objects have none
	}
	if !k.custom {
		delete(metadata, "managedFields")
		delete(object, "stringData")
	}
	fields := metadata.Objects("managedFields")
	slices.SortFunc(fields, func(a, b props.Map) int {
		return strings.Compare(a.String("manager")+a.String("operation"), b.String("manager")+b.String("operation"))
	})
	var entries []any
	for _, entry := range fields {
		delete(entry, "time")
		entries = append(entries, map[string]any(entry))
	}
	if len(entries) > 0 {
		metadata["managedFields"] = entries
	}
	a.Object = object
	return a
}

// requireTable compares the table of test/ledgers/conformance.md with the results.
func requireTable(t *testing.T, table string) {
	t.Helper()
	const path, begin, end = "../../../test/ledgers/conformance.md", "| operation | API server | offline cluster |\n|---|---|---|\n", "\n\n"
	golden.RequireSection(t, path, begin, end, strings.TrimSuffix(table, "\n"))
}
