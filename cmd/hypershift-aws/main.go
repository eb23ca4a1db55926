// Command hypershift-aws makes the AWS estate of HyperShift hosted clusters.
package main

import (
	"os"

	"github.com/hypershift-aws/hypershift-aws/internal/cli"
)

func main() { os.Exit(cli.Run(cli.System(), os.Args[1:])) }
