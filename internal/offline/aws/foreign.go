package aws

import (
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Foreign is a resource together with its account.
type Foreign struct {
	Account string
	*store.Record
}

// AllAccounts returns the resources of a type in all accounts, in the call's region or of global types: PrivateLink works across accounts.
func (c *Call) AllAccounts(token string) ([]Foreign, error) {
	var found []Foreign
	for _, rec := range c.All(token) {
		found = append(found, Foreign{c.Account, rec})
	}
	others, err := c.InOtherAccounts(c.scopeOf(c.Types.Kinds[token]), token, "*")
	return append(found, others...), err
}

// InOtherAccounts returns the resources of a type with that scope and ID, "*" for any, in the other accounts. They are read from their files without
// a lock, so that two calls cannot wait for each other. A changed file is replaced as a whole, so no partial file is read.
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
