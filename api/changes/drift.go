package changes

// Difference is a resource whose state in AWS differs from the stack's state.
type Difference struct {
	URN string `json:"urn"`
	// Name is the resource's name in the program, Type its type's token and ID its ID in AWS.
	Name string `json:"name"`
	Type string `json:"resourceType"`
	ID   string `json:"id"`
	// Gone is true if it no longer exists.
	Gone bool `json:"gone"`
	// Values are the properties that differ.
	Values []ValueDifference `json:"values,omitempty"`
}

// ValueDifference is a property that differs.
type ValueDifference struct {
	// Property is the property's name, or the path of a Kubernetes object's field, State its value in the state and AWS that in AWS; "[secret]" for a secret.
	Property string `json:"property"`
	State    any    `json:"state"`
	AWS      any    `json:"aws"`
}
