// Command hypershift-aws makes the AWS estate of HyperShift hosted clusters. Under the name
// pulumi-analyzer-policy-hypershift-aws-policies it serves its policies to the pulumi engine.
package main

import (
	"fmt"
	"os"

	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/policy/pack"
)

func main() {
	if pack.Wanted(os.Args[0]) {
		if err := pack.Serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(cli.Run(cli.System(), os.Args[1:]))
}
