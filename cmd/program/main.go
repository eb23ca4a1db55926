// Command program is what `pulumi up` runs in a project folder.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/program"
)

func main() { pulumi.Run(program.Run) }
