// Command hypershift-aws creates the AWS resources of HyperShift hosted clusters. Under the name
// pulumi-analyzer-policy-hypershift-aws-policies it serves its policies to the pulumi engine.
package main

import (
	"os"

	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/policy/pack"
)

func main() {
	if pack.Wanted(os.Args[0]) {
		os.Exit(pack.Run(os.Stderr))
	}
	os.Exit(cli.Run(invocation.System(), os.Args[1:]))
}
