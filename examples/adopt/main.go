// This is all of the program: the config beside it says what to make.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/stacks"
)

func main() { pulumi.Run(stacks.Run) }
