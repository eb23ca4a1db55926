package store

// Tx is a view of an account, and changes to it. All changes are stored when it ends without an error, otherwise none.
type Tx struct {
	Store   *Store
	Changes []change
}

// change is a record that is stored or deleted.
type change struct {
	rec  *Record
	gone bool
}

// Commit stores the changes so far.
func (t *Tx) Commit() error {
	changes := t.Changes
	t.Changes = nil
	return t.Store.write(changes)
}

// Put stores a record when the transaction ends.
func (t *Tx) Put(rec *Record) { t.Changes = append(t.Changes, change{rec: rec}) }

// Delete deletes a record when the transaction ends.
func (t *Tx) Delete(rec *Record) { t.Changes = append(t.Changes, change{rec: rec, gone: true}) }

// Get returns the record with that key, or nil if there is none. It sees changes of this transaction.
func (t *Tx) Get(k Key) *Record {
	for i := len(t.Changes) - 1; i >= 0; i-- {
		if c := t.Changes[i]; c.rec.key() == k {
			if c.gone {
				return nil
			}
			return c.rec
		}
	}
	return t.Store.Records[Group{k.Scope, k.Token}][k.ID]
}

// List returns the records of a type in a scope. Records deleted in this transaction are left out; records added in it are not included
// yet.
func (t *Tx) List(scope, token string) []*Record {
	var recs []*Record
	for _, rec := range t.Store.List(scope, token) {
		if now := t.Get(rec.key()); now != nil {
			recs = append(recs, now)
		}
	}
	return recs
}
