package main

import "github.com/hypershift-aws/hypershift-aws/test/exampletest"

// The program of this folder.
func ExampleProgram() {
	exampletest.Preview(Program)
	// Output:
	// DHCP options: 1
	// DHCP options association: 1
	// DNS record: 1
	// IAM role: 8
	// NAT gateway: 2
	// OIDC provider: 1
	// VPC: 1
	// VPC endpoint: 1
	// default security group: 1
	// elastic IP: 2
	// hosted zone: 1
	// instance profile: 1
	// internet gateway: 1
	// main route table association: 1
	// role policy: 8
	// route: 3
	// route table: 3
	// route table association: 4
	// security group: 1
	// subnet: 4
}
