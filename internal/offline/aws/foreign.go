package aws

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Foreign is a resource together with its account.
type Foreign struct {
	Account string
	*store.Record
}

// AllAccounts returns the resources of a type in all accounts, in the call's region or of global types: PrivateLink works across accounts.
// Those of other accounts are read from their files without a lock, so that two calls cannot wait for each other. A changed file is
// replaced as a whole, so no partial file is read.
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
			continue // deleted in between
		}
		if err != nil {
			return nil, err
		}
		found = append(found, Foreign{filepath.Base(folder), rec})
	}
	return found, nil
}

// FilesInOtherAccounts returns the files of a resource in the other accounts that have it.
func (c *Call) FilesInOtherAccounts(scope, token, id string) []string {
	accounts, own := filepath.Dir(c.Store.Dir), c.Store.Dir+string(filepath.Separator)
	paths, _ := filepath.Glob(filepath.Join(accounts, "*", store.Key{Scope: scope, Token: token, ID: id}.Path()))
	return slices.DeleteFunc(paths, func(path string) bool { return strings.HasPrefix(path, own) })
}
