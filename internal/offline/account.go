package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Account is an offline AWS account: what its folder holds. Several processes may use it at once.
type Account struct {
	id    string
	dir   string
	types catalogue

	mu    sync.Mutex
	lock  *os.File
	store *store
}

// Resource is something that an account holds.
type Resource struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc".
	Type string
	// ID is the provider's, "vpc-0a1b2c3d4e5f60718".
	ID string
	// Region is where it is, "global" for IAM and Route 53.
	Region string
	// Seed is true of what was there before any stack, Operator of what HyperShift's operators made for a hosted cluster.
	Seed, Operator bool
	// Properties are its outputs under Pulumi's names.
	Properties map[string]any
}

// Accounts opens every account that is kept under dir, in the order of their IDs. A folder without accounts is no error;
// a file that cannot be read is.
func Accounts(dir string) ([]*Account, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "accounts"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the offline accounts: %w", err)
	}
	types := newCatalogue()
	var accounts []*Account
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		account, err := openAccount(dir, entry.Name(), types)
		if err != nil {
			return nil, err
		}
		if err := account.transact(func(*tx) error { return nil }); err != nil {
			return nil, err
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

func openAccount(dir, id string, types catalogue) (*Account, error) {
	return openFolder(filepath.Join(dir, "accounts", id), id, types)
}

func openFolder(folder, id string, types catalogue) (*Account, error) {
	if err := makeDir(folder); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening offline account %s: %w", id, err)
	}
	return &Account{id: id, dir: folder, types: types, lock: lock, store: newStore(folder)}, nil
}

func (a *Account) close() error { return a.lock.Close() }

// ID is the account's twelve digits.
func (a *Account) ID() string { return a.id }

// Resources are what stacks and operators have made and what the account began with, by region, type and ID. What AWS
// keeps along with them, such as a VPC's default security group, is left out.
func (a *Account) Resources() []Resource {
	var resources []Resource
	// Accounts has read the files before; they can fail here only if somebody spoils them meanwhile.
	_ = a.transact(func(t *tx) error {
		for of := range t.store.records {
			for _, rec := range t.store.group(of.scope, of.token) {
				if rec.Origin != byAWS {
					resources = append(resources, Resource{Type: rec.Type, ID: rec.ID, Region: rec.Scope,
						Seed: rec.Origin == bySeed, Operator: rec.Origin == byOperator, Properties: rec.State.clone()})
				}
			}
		}
		return nil
	})
	slices.SortFunc(resources, func(x, y Resource) int {
		return strings.Compare(x.Region+" "+x.Type+" "+x.ID, y.Region+" "+y.Type+" "+y.ID)
	})
	return resources
}

// Remove deletes what has that ID behind the engine's back, with all that is part of it and without a check. It fails if
// nothing has it.
func (a *Account) Remove(id string) error {
	return a.transact(func(t *tx) error {
		found := false
		for of, group := range t.store.records {
			rec := group[id]
			if rec == nil || rec.Origin == byAWS {
				continue
			}
			found = true
			k := t.types.kinds[of.token]
			if k == nil {
				t.drop(rec)
				continue
			}
			c := &call{tx: t, site: site{account: a.id, region: of.scope}, kind: k, rec: rec}
			if err := c.erase(); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("offline account %s holds no %s; see what it holds under %s", a.id, id, a.dir)
		}
		return nil
	})
}

// transact runs act on the account as it is now, alone, and keeps its changes unless it fails.
func (a *Account) transact(act func(*tx) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	unlock, err := lockFile(a.lock)
	if err != nil {
		return fmt.Errorf("locking offline account %s: %w", a.id, err)
	}
	defer unlock()
	if err := a.store.refresh(); err != nil {
		return fmt.Errorf("reading offline account %s: %w", a.id, err)
	}
	t := &tx{store: a.store, types: a.types}
	if err := act(t); err != nil {
		return err
	}
	if err := t.commit(); err != nil {
		return fmt.Errorf("keeping offline account %s: %w", a.id, err)
	}
	return nil
}
