package awstype

// AdoptBy is how a stack adopts an existing instance of a type.
type AdoptBy string

const (
	// AdoptBySearch imports the instance that AWS lists with the inputs that Match names.
	AdoptBySearch AdoptBy = "search"
	// AdoptByImportID imports the instance by the ID that follows from its inputs, where AWS lists one with the inputs of
	// Match.
	AdoptByImportID AdoptBy = "import ID"
	// AdoptByWriting writes the instance into the state: the provider has no import for the type, or one that loses an
	// input.
	AdoptByWriting AdoptBy = "record"
	// AdoptBySetting creates it, which overwrites the existing setting.
	AdoptBySetting AdoptBy = "setting"
	// AdoptByID imports it if the user sets its ID: AWS's lists do not identify it.
	AdoptByID AdoptBy = "given ID"
	// AdoptNever always creates another one.
	AdoptNever AdoptBy = "never"
)

// Adoption is how a stack adopts an existing instance of a type.
type Adoption struct {
	By AdoptBy
	// Match are the inputs that an instance must have: "vpcId", "vpcs.vpcId" for an element of a list of objects. Those
	// that are not given are not compared.
	Match []string
	// Owned is true if the instance must carry the tag that names the cluster or the stack, among its inputs' tags.
	Owned bool
	// Named is true if the tag Name distinguishes instances.
	Named bool
	// Must is true if every existing cluster has an instance: a plan that creates one is refused.
	Must bool
	// SetBy are the config keys that determine whether an instance exists, or its name, if Must is true.
	SetBy string
	// Note is a note for users, "" for none.
	Note string
}

// adoptedBySearch and the next three are the ways that most types have.
func adoptedBySearch(match ...string) Adoption { return Adoption{By: AdoptBySearch, Match: match} }

func adoptedByImportID(match ...string) Adoption { return Adoption{By: AdoptByImportID, Match: match} }

func adoptedBySetting(note string) Adoption { return Adoption{By: AdoptBySetting, Note: note} }

func adoptedByGivenID(note string) Adoption { return Adoption{By: AdoptByID, Note: note} }

func (a Adoption) owned() Adoption { a.Owned = true; return a }

func (a Adoption) named() Adoption { a.Named = true; return a }

func (a Adoption) must(setBy string) Adoption { a.Must, a.SetBy = true, setBy; return a }

func (a Adoption) noted(text string) Adoption { a.Note = text; return a }

// AdoptionOf returns how an instance of a type is adopted. It reports false for a type without a record.
func AdoptionOf(token string) (Adoption, bool) {
	t, known := Lookup(token)
	return t.Adopt, known
}
