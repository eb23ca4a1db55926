package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Operators are the cluster's, as they were set last by whatever process.
func (c *Cluster) Operators() (Operators, error) {
	var o Operators
	text, err := os.ReadFile(c.operatorsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return o, fmt.Errorf("reading how the operators of offline cluster %s behave: %w", c.Name(), err)
	}
	return o, nil
}

// SetOperators has the cluster's operators behave like that from now on, in all processes.
func (c *Cluster) SetOperators(o Operators) error {
	if err := o.validate(); err != nil {
		return err
	}
	return writeJSON(c.operatorsFile(), o)
}

func (c *Cluster) operatorsFile() string { return filepath.Join(c.folder.dir, "operators.json") }

// rounds is how often one settling goes through all objects at most: what one of them waits for, the next may have done.
const rounds = 6

// settle has the cluster's operators do what they can do by now.
func (c *Cluster) settle() error {
	operators, err := c.Operators()
	if err != nil || operators.Killed {
		return err
	}
	return c.folder.transact(func(t *tx) error {
		for range rounds {
			if err := c.controller.Reconcile(t, operators, time.Now()); err != nil {
				return err
			}
			if len(t.changes) == 0 {
				return nil
			}
			if err := t.commit(); err != nil {
				return err
			}
		}
		return nil
	})
}
