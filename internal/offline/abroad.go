package offline

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// foreign is a resource with the account that holds it.
type foreign struct {
	account string
	*record
}

// everywhere are the resources of a type that any account holds, in the call's region or in none: PrivateLink crosses
// accounts. Those of other accounts are read as they stand in their files, without a lock, so that no two calls can
// wait for one another. A changed file is replaced whole, so none is read by half.
func (c *call) everywhere(token string) ([]foreign, error) {
	var found []foreign
	for _, rec := range c.all(token) {
		found = append(found, foreign{c.account, rec})
	}
	kinds := filepath.Dir(key{c.scopeOf(c.types.kinds[token]), token, "any"}.path())
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(c.store.dir), "*", kinds, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		folder := filepath.Dir(filepath.Dir(filepath.Dir(path)))
		if folder == c.store.dir {
			continue
		}
		rec, err := readRecord(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		found = append(found, foreign{filepath.Base(folder), rec})
	}
	return found, nil
}
