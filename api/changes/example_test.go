package changes_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
)

// Changed lists the steps of a plan that change a resource, and Counts counts them.
func ExamplePlan() {
	plan := changes.Plan{Steps: []*changes.Step{
		{Name: "network-vpc", Type: "aws:ec2/vpc:Vpc", Custom: true, Change: changes.Same},
		{Name: "network-nat", Type: "aws:ec2/natGateway:NatGateway", Custom: true, Change: changes.Create},
	}}
	for _, step := range plan.Changed() {
		fmt.Println(step.Change, step.Name)
	}
	fmt.Println(plan.Counts().Created)
	// Output:
	// create network-nat
	// 1
}
