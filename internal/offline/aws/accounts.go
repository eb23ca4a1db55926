package aws

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Accounts opens the accounts in a folder, each once, for operators that work in them.
type Accounts struct {
	dir   string
	types Catalogue

	mu   sync.Mutex
	open map[string]*Account
}

// NewAccounts returns the accounts in dir. Close it after use.
func NewAccounts(dir string, types Catalogue) *Accounts {
	return &Accounts{dir: filepath.Join(dir, "accounts"), types: types, open: map[string]*Account{}}
}

// IDs lists the accounts that exist.
func (a *Accounts) IDs() ([]string, error) {
	entries, err := os.ReadDir(a.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, entry := range entries {
		if entry.IsDir() {
			ids = append(ids, entry.Name())
		}
	}
	return ids, nil
}

// Account opens an account, nil if it does not exist.
func (a *Accounts) Account(id string) (*Account, error) {
	if ids, err := a.IDs(); err != nil || !slices.Contains(ids, id) {
		return nil, err
	}
	return a.Open(id)
}

// Open opens an account, and creates it if it does not exist.
func (a *Accounts) Open(id string) (*Account, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if account := a.open[id]; account != nil {
		return account, nil
	}
	account, err := OpenAccount(filepath.Dir(a.dir), id, a.types)
	if err == nil {
		a.open[id] = account
	}
	return account, err
}

// All opens the accounts that exist, ordered by ID.
func (a *Accounts) All() ([]*Account, error) {
	ids, err := a.IDs()
	var accounts []*Account
	for _, id := range ids {
		account, err := a.Open(id)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, account)
	}
	return accounts, err
}

// Close closes the accounts.
func (a *Accounts) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, account := range a.open {
		errs = append(errs, account.Close())
	}
	return errors.Join(errs...)
}

// In runs act in a region of the account, in one transaction.
func (a *Account) In(region string, act func(*Call) error) error {
	at, err := NewSite(props.Map{"region": region, "allowedAccountIds": props.List(a.ID())})
	if err != nil {
		return err
	}
	return a.Transact(func(t *Tx) error { return act(&Call{Tx: t, Site: at}) })
}

// RejectedConnection is the state of an endpoint whose connection the service's owner has rejected.
const RejectedConnection = "rejected"

// Foreign is a resource together with its account.
type Foreign struct {
	Account string
	*store.Entry
}

// AllAccounts returns the resources of a type in all accounts, in the call's region or of global types: PrivateLink
// works across accounts.
func (c *Call) AllAccounts(token string) ([]Foreign, error) {
	var found []Foreign
	for _, rec := range c.All(token) {
		found = append(found, Foreign{c.Account, rec})
	}
	others, err := c.InOtherAccounts(c.scopeOf(c.Types.Kinds[token]), token, "*")
	return append(found, others...), err
}

// InOtherAccounts returns the resources of a type with that scope and ID, "*" for any, in the other accounts. They are
// read from their files without a lock, so that two calls cannot wait for each other. A changed file is replaced as a
// whole, so no partial file is read.
func (c *Call) InOtherAccounts(scope, token, id string) ([]Foreign, error) {
	file := strings.ReplaceAll(store.Key{Scope: scope, Token: token, ID: id}.Path(), url.PathEscape("*"), "*")
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(c.Store.Dir), "*", file))
	if err != nil {
		return nil, err
	}
	var found []Foreign
	for _, path := range paths {
		folder := filepath.Dir(filepath.Dir(filepath.Dir(path)))
		if folder == c.Store.Dir {
			continue
		}
		rec, err := store.ReadRecord(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted in between
		}
		if err != nil {
			return nil, err
		}
		found = append(found, Foreign{filepath.Base(folder), rec})
	}
	return found, nil
}
