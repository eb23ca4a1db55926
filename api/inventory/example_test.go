package inventory_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
)

// A resource in AWS has its tags and the properties that identify it.
func ExampleResource() {
	subnet := inventory.Resource{
		Type: "aws:ec2/subnet:Subnet", ID: "subnet-1", Tags: map[string]string{"Name": "demo-private"},
		Properties: map[string]any{"cidrBlock": "10.0.0.0/20"},
	}
	fmt.Println(subnet.Name(), subnet.Text("cidrBlock"))
	// Output: demo-private 10.0.0.0/20
}
