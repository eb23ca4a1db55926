package aws

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Foreign is a resource with the account that holds it.
type Foreign struct {
	Account string
	*store.Record
}

// AllAccounts are the resources of a type that any account holds, in the call's region or in none: PrivateLink crosses
// accounts. Those of other accounts are read as they stand in their files, without a lock, so that no two calls can
// wait for one another. A changed file is replaced whole, so none is read by half.
func (c *Call) AllAccounts(token string) ([]Foreign, error) {
	var found []Foreign
	for _, rec := range c.All(token) {
		found = append(found, Foreign{c.Account, rec})
	}
	kinds := filepath.Dir(store.Key{Scope: c.scopeOf(c.Types.Kinds[token]), Token: token, ID: "any"}.Path())
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(c.Store.Dir), "*", kinds, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		folder := filepath.Dir(filepath.Dir(filepath.Dir(path)))
		if folder == c.Store.Dir {
			continue
		}
		rec, err := store.ReadRecord(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		found = append(found, Foreign{filepath.Base(folder), rec})
	}
	return found, nil
}

// Abroad are the files of the other accounts that hold a resource.
func (c *Call) Abroad(scope, token, id string) []string {
	accounts, own := filepath.Dir(c.Store.Dir), c.Store.Dir+string(filepath.Separator)
	paths, _ := filepath.Glob(filepath.Join(accounts, "*", store.Key{Scope: scope, Token: token, ID: id}.Path()))
	return slices.DeleteFunc(paths, func(path string) bool { return strings.HasPrefix(path, own) })
}
