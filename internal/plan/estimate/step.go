package estimate

import "github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"

// Op is the operation on a resource.
type Op string

// The operations that take time.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
	// Import imports an existing resource: the provider reads it.
	Import Op = "import"
)

// Step is an operation on one resource. A replacement is two: a creation and a deletion.
type Step struct {
	URN string
	// Type is the type's token, "aws:ec2/vpc:Vpc".
	Type string
	Op   Op
	// DependsOn are the URNs of the resources that must exist first. Those without a step exist already.
	DependsOn []string
}

// key identifies a step.
func (s Step) key() string { return string(s.Op) + " " + s.URN }

// Typical returns how many seconds AWS takes for an operation on a type, by its record in awstype. It is one second for types without a
// record, and for updates and imports.
func Typical(op Op, token string) float64 {
	record, _ := awstype.Lookup(token)
	seconds := 0.0
	switch op {
	case Create:
		seconds = record.Seconds.Create
	case Delete:
		seconds = record.Seconds.Delete
	case Update, Import:
	}
	if seconds == 0 {
		return 1
	}
	return seconds
}
