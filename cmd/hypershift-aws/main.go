// Command hypershift-aws creates the AWS resources of HyperShift hosted clusters. Under the name
// pulumi-analyzer-policy-hypershift-aws-policies it serves its policies to the pulumi engine, and under the name
// pulumi-language-hypershift-aws it is the language host of projects with `runtime: hypershift-aws`, and under the name
// pulumi it stands in front of the engine for them.
package main

import (
	"os"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/program"
)

func main() {
	os.Exit(cli.Main(program.Run, features.All(), os.Args))
}
