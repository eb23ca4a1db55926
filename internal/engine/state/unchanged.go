package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/tidwall/gjson"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Written returns when the engine wrote the state that was read, zero if it never did.
func (d *Deployment) Written() time.Time { return writtenIn(d.read) }

// CheckpointWritten returns when the engine wrote the state in a file, zero if it never did, and if the file is not one
// that ParseCheckpoint reads.
func CheckpointWritten(text []byte) time.Time {
	latest, err := latestIn(text)
	if latest == nil || err != nil {
		return time.Time{}
	}
	return writtenIn(latest.Deployment)
}

// writtenIn returns the time of a deployment's manifest. The rest is not decoded: it has all resources.
func writtenIn(deployment json.RawMessage) time.Time {
	at, err := time.Parse(time.RFC3339, gjson.GetBytes(deployment, "manifest.time").String())
	if err != nil {
		return time.Time{} // without a valid time it was never written
	}
	return at
}

// Holds reports whether the file still has the state as d was read from it, byte by byte. If not, SameRead knows
// whether it is another version.
func (f File) Holds(d *Deployment) bool {
	path := f.Path()
	if path == "" {
		return false
	}
	text, err := atomicfile.ReadRegular(path)
	if err != nil {
		return false
	}
	latest, err := latestIn(text)
	return err == nil && latest != nil && latest.Version == d.version && bytes.Equal(latest.Deployment, d.read)
}

// SameRead reports whether d and other were read from one version of a state: the time of the manifest, all resources
// and all pending operations are equal. Later changes in d and other do not count.
func (d *Deployment) SameRead(other *Deployment) (bool, error) {
	if d.version != other.version || bytes.Equal(d.read, other.read) {
		return d.version == other.version, nil
	}
	mine, err := canonical(d.read)
	if err != nil {
		return false, err
	}
	theirs, err := canonical(other.read)
	return bytes.Equal(mine, theirs), err
}

// Rebase makes d a change of other, in the sense of SameRead. The engine that wrote other may have written another
// version than d's.
func (d *Deployment) Rebase(other *Deployment) {
	d.version, d.features, d.read = other.version, other.features, other.read
}

// canonical returns a deployment in one form. Secrets are left out: each export may encrypt them again, and a run that
// changes one also changes the time of the manifest.
func canonical(text json.RawMessage) ([]byte, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	var read struct {
		Manifest struct {
			Time time.Time `json:"time"`
		} `json:"manifest"`
		Resources []any `json:"resources,omitempty"`
		Pending   []any `json:"pending_operations,omitempty"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("comparing the state: %w", err)
	}
	untyped.Contains(read.Resources, withoutSecret)
	untyped.Contains(read.Pending, withoutSecret)
	if read.Manifest.Time.IsZero() && len(read.Resources) == 0 && len(read.Pending) == 0 {
		return nil, nil // created, but never updated
	}
	return json.Marshal(read)
}

// withoutSecret removes the value of a secret. It returns false, so that value.Contains visits all values.
func withoutSecret(inner any) bool {
	if object, ok := inner.(map[string]any); ok && object[sig.Key] == sig.Secret {
		delete(object, "ciphertext")
		delete(object, "plaintext")
	}
	return false
}
