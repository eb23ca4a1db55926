package models

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

// holdings are the resources and objects that a cluster needs, each with what must not change about it.
type holdings map[string]any

// inState returns the IDs of the resources in a stack's state, and the UID of its HostedCluster or Cluster, "" if it
// has none.
func (m *model) inState(stack string) (ids map[string]bool, object string) {
	ids, object, _ = m.readState(stack)
	return ids, object
}

// readState returns what inState does, and whether the HostedCluster or Cluster is protected.
func (m *model) readState(stack string) (ids map[string]bool, object string, protected bool) {
	text, err := m.stateText(stack)
	if err != nil {
		return nil, "", false
	}
	var file struct {
		Checkpoint struct {
			Latest struct {
				Resources []struct {
					Type, ID string
					Custom   bool
					Protect  bool
					Outputs  struct {
						Metadata struct{ UID string } `json:"metadata"`
					}
				}
			}
		}
	}
	_ = json.Unmarshal(text, &file) // the outputs of AWS resources have another shape
	ids = map[string]bool{}
	for _, r := range file.Checkpoint.Latest.Resources {
		if r.Custom {
			ids[r.Type+" "+r.ID] = true
		}
		if strings.HasSuffix(r.Type, ":HostedCluster") ||
			strings.HasSuffix(r.Type, ":Cluster") && strings.HasPrefix(r.Type, "kubernetes:cluster.x-k8s.io") {
			object, protected = r.Outputs.Metadata.UID, r.Protect
		}
	}
	return ids, object, protected
}

// ignored are properties that operators, or the rehearsed time, change by themselves.
var ignored = []string{"tags", "tagsAll", "status", "resourceVersion", "generation", "managedFields", "annotations",
	"labels"}

// modelWorld are the resources of all accounts and the objects of the management clusters, by the names of these.
type modelWorld struct {
	resources []offline.Resource
	objects   map[string][]offline.Object
}

// world reads everything once, for the looks at all clusters.
func (m *model) world() modelWorld {
	m.t.Helper()
	w := modelWorld{objects: map[string][]offline.Object{}}
	accounts, err := offline.Accounts(m.offlineDir())
	require.NoError(m.t, err)
	for _, account := range accounts {
		w.resources = append(w.resources, account.Resources()...)
		require.NoError(m.t, account.Close())
	}
	for _, c := range modelClusters {
		if _, read := w.objects[c.management]; !read {
			m.clusterOf(c, func(cluster *kubernetes.Cluster) { w.objects[c.management] = enginetest.ObjectsOf(m.t, cluster) })
		}
	}
	return w
}

// holdingsOf returns what a cluster needs: the resources of the accounts that belong to it, by its stack's state, its
// tags and its names, and its objects. The first look decides which these are; later looks return those that are left.
func (m *model) holdingsOf(c modelCluster, world modelWorld) holdings {
	m.t.Helper()
	before, looked := m.holds[c.stack]
	now := holdings{}
	ids, _ := m.inState(c.stack)
	if c.stack == "prod" { // it uses what its management stack has
		inherited, _ := m.inState(inheritedStack)
		both := map[string]bool{}
		maps.Copy(both, inherited)
		maps.Copy(both, ids)
		ids = both
	}
	belongs := func(r offline.Resource) bool {
		text := fmt.Sprint(r.ID, r.Properties)
		return strings.Contains(text, c.infraID) || strings.Contains(text, "."+c.stack+".example.com")
	}
	for _, r := range world.resources {
		key := r.Type + " " + r.ID
		if _, had := before[key]; looked && !had || !looked && !ids[key] && !belongs(r) {
			continue
		}
		if one, twice := now[key]; twice && reflect.DeepEqual(one, before[key]) {
			continue // another account has one of that name too
		}
		now[key] = essence(r.Properties)
	}
	for _, o := range world.objects[c.management] {
		key := c.management + " " + o.Kind + " " + o.ID
		// The operator of the management cluster needs its namespace and its credentials.
		operators := c.stack == "prod" && (o.Kind == "Namespace" ||
			o.Kind == "Secret") && strings.Contains(o.ID, "hypershift")
		if _, had := before[key]; looked && !had || !looked && (!strings.Contains(o.ID, c.name) && !operators ||
			o.Kind == "Event") {
			continue
		}
		now[key] = essence(o.Properties)
	}
	return now
}

// essence returns a resource without what may change while nothing is harmed.
func essence(properties map[string]any) any {
	var strip func(any) any
	strip = func(value any) any {
		of, isMap := value.(map[string]any)
		if !isMap {
			return value
		}
		left := map[string]any{}
		for key, one := range of {
			if !slices.Contains(ignored, key) {
				left[key] = strip(one)
			}
		}
		return left
	}
	text, err := json.Marshal(strip(properties))
	if err != nil {
		return fmt.Sprint(properties)
	}
	return string(text)
}

// worse returns what has changed for the worse under a cluster.
func (m *model) worse(c modelCluster, world modelWorld) []string {
	m.t.Helper()
	var list []string
	before, now := m.holds[c.stack], m.holdingsOf(c, world)
	for _, key := range slices.Sorted(maps.Keys(before)) {
		after, exists := now[key]
		switch {
		case m.restored(key, before[key], after):
		case !exists:
			list = append(list, key+" is gone")
		case !reflect.DeepEqual(before[key], after):
			list = append(list, fmt.Sprintf("%s has changed:\n  from %v\n  to   %v", key, before[key], after))
		}
	}
	return list
}

// dies reports whether a cluster has been deleted, or is being deleted, by its own management cluster.
func (m *model) dies(c modelCluster) bool {
	dead := true
	m.clusterOf(c, func(cluster *kubernetes.Cluster) {
		for _, o := range enginetest.ObjectsOf(m.t, cluster) {
			if o.Kind == c.kind && strings.HasSuffix(o.ID, "/"+c.name) {
				metadata, _ := o.Properties["metadata"].(map[string]any)
				dead = metadata["deletionTimestamp"] != nil
			}
		}
	})
	return dead
}

// look requires that nothing has changed for the worse under a living cluster.
func (m *model) look(mayDie map[string]bool) {
	m.t.Helper()
	require.Empty(m.t, strings.Join(m.harm(mayDie), "\n"), "living clusters were harmed by:\n%s",
		strings.Join(m.log, "\n"))
}

// harm returns what has changed for the worse under the living clusters.
func (m *model) harm(mayDie map[string]bool) (list []string) {
	m.t.Helper()
	world := m.world()
	for _, c := range modelClusters {
		switch {
		case m.holds[c.stack] == nil:
			continue
		case mayDie[c.stack] && m.dies(c):
			delete(m.holds, c.stack)
			continue
		}
		list = append(list, m.worse(c, world)...)
		if _, object := m.inState(c.stack); m.objects[c.stack] != "" && object != m.objects[c.stack] {
			list = append(list, "the state of stack "+c.stack+" has lost its cluster")
		}
		if _, object, protected := m.readState(c.stack); object != "" && !protected && !m.named[c.stack] {
			list = append(list, "the state of stack "+c.stack+" does not protect its cluster")
		}
	}
	return list
}
