package event

// Counts are the numbers of resources by what an operation did. Components and providers do not count.
type Counts struct {
	Created int `json:"created"`
	// Imported are existing resources that were imported unchanged, with their IDs.
	Imported int `json:"imported"`
	Updated  int `json:"updated"`
	Replaced int `json:"replaced"`
	Deleted  int `json:"deleted"`
	Same     int `json:"same"`
}

// Changes returns the number of resources that are changed.
func (c Counts) Changes() int { return c.Created + c.Imported + c.Updated + c.Replaced + c.Deleted }

// Add returns the sum of two counts.
func (c Counts) Add(other Counts) Counts {
	return Counts{
		c.Created + other.Created, c.Imported + other.Imported, c.Updated + other.Updated, c.Replaced + other.Replaced,
		c.Deleted + other.Deleted, c.Same + other.Same,
	}
}
