package kubernetes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Rehearse applies a rehearsal to the cluster, for all processes: how its operators behave, whether its API server is
// lost, and the backup that is restored in it.
func (c *Cluster) Rehearse(r faults.Rehearsal) error {
	how, lost := r.OperatorSettings(), slices.Contains(r.Lost, c.Name())
	if lost {
		now, err := c.Operators()
		if err != nil {
			return err
		}
		if how == nil {
			how = &now
		}
		how.Unreachable, how.Failure = true, faults.FailureDNS
	}
	if how != nil {
		if err := c.SetOperators(*how); err != nil {
			return err
		}
	}
	if from := r.Restored[c.Name()]; from != "" {
		if err := c.restoreOnce(from); err != nil {
			return fmt.Errorf("restoring the backup of offline cluster %s in %s: %w", from, c.Name(), err)
		}
	}
	return nil
}

// restoreOnce restores the backup of another cluster, unless an earlier run has: like a loss, a restore is an event,
// and stays when the rehearsal ends.
func (c *Cluster) restoreOnce(from string) error {
	file := filepath.Join(c.folder.Dir, "restored-"+from+".json")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	if err := c.restore(from); err != nil {
		return err
	}
	return store.WriteJSON(file, from)
}

// restore copies the objects of another cluster, as a backup of it restores them: with new UIDs, and not paused. It
// does nothing if the cluster has a HostedCluster already.
func (c *Cluster) restore(from string) error {
	clusters := filepath.Dir(c.folder.Dir)
	paths, err := filepath.Glob(filepath.Join(clusters, from, "*", "*", "*.json"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%w: use the name of a folder in %s", fs.ErrNotExist, clusters)
	}
	if err != nil {
		return err
	}
	var records []*store.Entry
	renamed := map[string]string{}
	for _, path := range paths {
		rec, err := store.ReadRecord(path)
		if err != nil {
			return err
		}
		records = append(records, rec)
		if uid := rec.State.Object("metadata").String("uid"); uid != "" {
			renamed[uid] = ids.UUID()
		}
	}
	var pairs []string
	for _, uid := range slices.Sorted(maps.Keys(renamed)) {
		pairs = append(pairs, uid, renamed[uid])
	}
	replacer := strings.NewReplacer(pairs...)
	return c.folder.Transact(func(t *store.Tx) error {
		for group := range t.Store.Records {
			if group.Token == "kubernetes:"+crd.APIVersion+":"+crd.HostedCluster && len(t.Store.Records[group]) > 0 {
				return nil
			}
		}
		var errs []error
		for _, rec := range records {
			text, err := json.Marshal(rec)
			errs = append(errs, err)
			restored := &store.Entry{}
			errs = append(errs, json.Unmarshal([]byte(replacer.Replace(string(text))), restored))
			delete(restored.State.Object("spec"), "pausedUntil")
			t.Put(restored)
		}
		return errors.Join(errs...)
	})
}
