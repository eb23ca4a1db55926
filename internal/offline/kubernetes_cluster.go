package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// clustersDir is the folder that clusters are kept under, one folder each.
const clustersDir = "clusters"

// clusterScope is where objects without a namespace are kept.
const clusterScope = "cluster"

const namespaceToken = "kubernetes:core/v1:Namespace"

// Cluster is the API of an offline Kubernetes cluster: what its folder holds.
type Cluster struct{ folder *Account }

// Object is a Kubernetes object.
type Object struct {
	// Kind is the object's, "ConfigMap"; ID is "<namespace>/<name>", or the name of what is in no namespace.
	Kind, ID string
	// Properties are the object itself.
	Properties map[string]any
}

// Clusters opens every cluster that is kept under dir, in the order of their names.
func Clusters(dir string) ([]*Cluster, error) {
	entries, err := os.ReadDir(filepath.Join(dir, clustersDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the offline clusters: %w", err)
	}
	var clusters []*Cluster
	for _, entry := range entries {
		cluster, err := openCluster(dir, entry.Name())
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, cluster)
	}
	return clusters, nil
}

func openCluster(dir, name string) (*Cluster, error) {
	folder, err := openFolder(filepath.Join(dir, clustersDir, name), name, catalogue{})
	if err != nil {
		return nil, err
	}
	return &Cluster{folder}, nil
}

// Name is what the cluster is kept under: its context's name, or what stands for the current one.
func (c *Cluster) Name() string { return c.folder.id }

// Objects are what stacks have made.
func (c *Cluster) Objects() []Object {
	var objects []Object
	_ = c.folder.transact(func(t *tx) error {
		for of := range t.store.records {
			for _, rec := range t.store.group(of.scope, of.token) {
				objects = append(objects, Object{Kind: rec.State.text("kind"), ID: rec.ID, Properties: rec.State.clone()})
			}
		}
		return nil
	})
	slices.SortFunc(objects, func(a, b Object) int { return strings.Compare(a.Kind+" "+a.ID, b.Kind+" "+b.ID) })
	return objects
}

// key is where an object is kept.
func (k *objectKind) key(id string) key {
	scope := clusterScope
	if namespace, _, namespaced := strings.Cut(id, "/"); namespaced {
		scope = namespace
	}
	return key{scope, k.token, id}
}

// hasNamespace says whether a namespace is there; three come with every cluster.
func (t *tx) hasNamespace(name string) bool {
	return slices.Contains([]string{"default", "kube-public", "kube-system"}, name) ||
		t.record(key{clusterScope, namespaceToken, name}) != nil
}

func (c *Cluster) create(k *objectKind, inputs props) (id string, out props, err error) {
	id = k.id(inputs)
	name := inputs.object("metadata").text("name")
	err = c.folder.transact(func(t *tx) error {
		if namespace := inputs.object("metadata").text("namespace"); k.namespaced && !t.hasNamespace(namespace) {
			return fmt.Errorf("namespaces %q not found", namespace)
		}
		if t.record(k.key(id)) != nil || k.token == namespaceToken && t.hasNamespace(name) {
			return fmt.Errorf("%s %q already exists", k.plural, name)
		}
		out = inputs.clone()
		metadata := out.object("metadata")
		metadata["uid"] = newUID()
		metadata["creationTimestamp"] = now()
		metadata["resourceVersion"] = "1"
		if k.complete != nil {
			k.complete(out)
		}
		t.put(&record{Type: k.token, ID: id, Scope: k.key(id).scope, Origin: byStack, State: out})
		return nil
	})
	return id, out, err
}

func (c *Cluster) read(k *objectKind, id string) (out props, err error) {
	err = c.folder.transact(func(t *tx) error {
		if rec := t.record(k.key(id)); rec != nil {
			out = rec.State.clone()
		}
		return nil
	})
	return out, err
}

func (c *Cluster) update(k *objectKind, id string, inputs props) (out props, err error) {
	err = c.folder.transact(func(t *tx) error {
		rec := t.record(k.key(id))
		if rec == nil {
			return fmt.Errorf("%s %q not found", k.plural, inputs.object("metadata").text("name"))
		}
		rec = rec.clone()
		rec.State = k.applied(rec.State, inputs)
		version, _ := strconv.Atoi(rec.State.object("metadata").text("resourceVersion"))
		rec.State.object("metadata")["resourceVersion"] = strconv.Itoa(version + 1)
		t.put(rec)
		out = rec.State.clone()
		return nil
	})
	return out, err
}

func (c *Cluster) remove(k *objectKind, id string) error {
	return c.folder.transact(func(t *tx) error {
		rec := t.record(k.key(id))
		if rec == nil {
			return nil
		}
		t.drop(rec)
		if k.token != namespaceToken {
			return nil
		}
		for of := range t.store.records {
			if of.scope == id {
				for _, inside := range t.store.group(of.scope, of.token) {
					t.drop(inside)
				}
			}
		}
		return nil
	})
}
