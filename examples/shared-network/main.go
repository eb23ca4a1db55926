// This is the whole program: the stacks are described by the config in this folder.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/program"
)

func main() { pulumi.Run(program.Run) }
