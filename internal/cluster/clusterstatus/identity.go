package clusterstatus

import (
	"context"
	"fmt"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// ObjectKey is an object of a stack in its management cluster.
type ObjectKey struct {
	Kind, Namespace, Name string
	// UID is the UID in the stack's state.
	UID string
	// Mark is the value of the annotation hypershift.StackTag in the state.
	Mark string
}

// String returns the key as messages show it: "HostedCluster clusters/demo".
func (k *ObjectKey) String() string {
	if k.Namespace == "" {
		return k.Kind + " " + k.Name
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// IsCluster reports whether the object is a HostedCluster or a Cluster of Cluster API.
func (k *ObjectKey) IsCluster() bool { return k.Kind == crd.HostedCluster || k.Kind == KindCluster }

// RecordedCluster returns the UID of the management cluster in the state, "" if it was never recorded.
func RecordedCluster(d *state.Deployment) string {
	for _, r := range d.Resources {
		if !r.Delete && recorded.IsManagementCluster(string(r.Type), r.URN.Name()) {
			uid, _ := r.Outputs["output"].(string)
			return uid
		}
	}
	return ""
}

// UIDReader reads objects. Only their UIDs and marks are used.
type UIDReader interface {
	// Get returns an object, nil if there is none.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
}

// ReadIdentity reads which management cluster it is, and the UID of the stack's own object, nil if its state has none.
// If neither identifies the cluster, because its UID was never recorded or may not be read and it lacks the object, an
// equal UID of one of the others does: the returned identity then has the management cluster.
func ReadIdentity(
	ctx context.Context, api UIDReader, clusterUID func(context.Context) (string, error), recorded gate.Identity,
	own *ObjectKey, others []*ObjectKey,
) (gate.Identity, gate.Reading) {
	reading := gate.Reading{Configured: true}
	var objectErr error
	var both sync.WaitGroup
	if own != nil {
		both.Add(1)
		go func() {
			defer both.Done()
			reading.Object, objectErr = readUID(ctx, api, own)
		}()
	}
	reading.ManagementCluster, reading.Err = clusterUID(ctx)
	both.Wait()
	if reading.Err != nil || recorded.Other(reading) != "" {
		return recorded, reading
	}
	if reading.Err = objectErr; objectErr != nil || recorded.Proved(reading) ||
		recorded.ManagementCluster != "" && reading.ManagementCluster != "" {
		return recorded, reading
	}
	for _, other := range others {
		uid, err := readUID(ctx, api, other)
		if err != nil {
			continue // it may be forbidden: another one can identify the cluster
		}
		if uid == other.UID {
			// A cluster whose namespace may not be read is identified by the object itself.
			if reading.ManagementCluster == "" {
				reading.ManagementCluster = uid
			}
			recorded.ManagementCluster = reading.ManagementCluster
			return recorded, reading
		}
	}
	return recorded, reading
}

// ReadNamed reads what has the names of a stack's objects.
func ReadNamed(ctx context.Context, api UIDReader, keys []*ObjectKey, owners []string) (all []gate.Named, err error) {
	for _, key := range keys {
		object, err := api.Get(ctx, key.Kind, key.Namespace, key.Name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", key, err)
		}
		all = append(all, gate.Named{
			Object: key.String(), Recorded: key.UID, UID: textAt(object, "metadata", "uid"),
			Mark: textAt(object, "metadata", "annotations", hypershift.StackTag), Owners: owners,
		})
	}
	return all, nil
}

func readUID(ctx context.Context, api UIDReader, key *ObjectKey) (string, error) {
	object, err := api.Get(ctx, key.Kind, key.Namespace, key.Name)
	return textAt(object, "metadata", "uid"), err
}
