package offline

// tx is one look at an account, and the changes that follow from it. The changes are made together when it ends well,
// and not at all otherwise.
type tx struct {
	store   *store
	changes []change
}

// change is a record that is kept anew, or gone.
type change struct {
	rec  *record
	gone bool
}

// commit makes the changes so far.
func (t *tx) commit() error {
	changes := t.changes
	t.changes = nil
	return t.store.write(changes)
}

func (t *tx) put(rec *record)  { t.changes = append(t.changes, change{rec: rec}) }
func (t *tx) drop(rec *record) { t.changes = append(t.changes, change{rec: rec, gone: true}) }

// record is the record of that key, nil if there is none. Changes of this tx show.
func (t *tx) record(k key) *record {
	for i := len(t.changes) - 1; i >= 0; i-- {
		if c := t.changes[i]; c.rec.key() == k {
			if c.gone {
				return nil
			}
			return c.rec
		}
	}
	return t.store.records[kindOf{k.scope, k.token}][k.id]
}

// records are the records of a type in a scope. Those that this tx has dropped are left out, those that it has added
// are not in yet.
func (t *tx) records(scope, token string) []*record {
	var recs []*record
	for _, rec := range t.store.group(scope, token) {
		if now := t.record(rec.key()); now != nil {
			recs = append(recs, now)
		}
	}
	return recs
}
