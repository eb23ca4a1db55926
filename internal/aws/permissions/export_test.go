package permissions

// The tests that compare with the offline account are outside of the package, which the account imports.
var (
	Grants = grants
	Unique = unique
)
