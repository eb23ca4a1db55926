package estimate

// Op is what is done to a resource.
type Op string

// The operations that take time.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
)

// Step is an operation on one resource. A replacement is two: a creation and a deletion.
type Step struct {
	URN string
	// Type is the type's token, "aws:ec2/vpc:Vpc".
	Type string
	Op   Op
	// DependsOn are the URNs of the resources that must be there first. Those without a step are there.
	DependsOn []string
}

// key identifies a step.
func (s Step) key() string { return string(s.Op) + " " + s.URN }

// Typical is how many seconds AWS takes for an operation on a type, by the medians of public logs of real runs: creations
// until the resource can be used, deletions until it is gone. What is not listed takes a second.
func Typical(op Op, token string) float64 {
	switch {
	case op == Create && token == "aws:ec2/vpc:Vpc":
		return 15 // 11 to 22, with the DNS attributes
	case op == Create && token == "aws:ec2/natGateway:NatGateway":
		return 106 // 95 to 125
	case op == Create && token == "aws:route53/zone:Zone":
		return 70 // 60 to 80, until the change is in sync
	case op == Create && token == "aws:iam/instanceProfile:InstanceProfile":
		return 8
	case op == Delete && token == "aws:ec2/natGateway:NatGateway":
		return 60
	}
	return 1
}
