package store

// Tx is one look at an account, and the changes that follow from it. The changes are made together when it ends well,
// and not at all otherwise.
type Tx struct {
	Store   *Store
	Changes []change
}

// change is a record that is kept anew, or gone.
type change struct {
	rec  *Record
	gone bool
}

// Commit makes the changes so far.
func (t *Tx) Commit() error {
	changes := t.Changes
	t.Changes = nil
	return t.Store.write(changes)
}

// Put keeps a record when the transaction ends.
func (t *Tx) Put(rec *Record) { t.Changes = append(t.Changes, change{rec: rec}) }

// Delete removes a record when the transaction ends.
func (t *Tx) Delete(rec *Record) { t.Changes = append(t.Changes, change{rec: rec, gone: true}) }

// Get is the record of that key, nil if there is none. Changes of this tx show.
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

// List are the records of a type in a scope. Those that this tx has dropped are left out, those that it has added
// are not in yet.
func (t *Tx) List(scope, token string) []*Record {
	var recs []*Record
	for _, rec := range t.Store.List(scope, token) {
		if now := t.Get(rec.key()); now != nil {
			recs = append(recs, now)
		}
	}
	return recs
}
