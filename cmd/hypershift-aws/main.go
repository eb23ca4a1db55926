// Command hypershift-aws creates the AWS resources of HyperShift hosted clusters. Under the name
// pulumi-analyzer-policy-hypershift-aws-policies it serves its policies to the pulumi engine, and under the name
// pulumi-language-hypershift-aws it is the language host of projects with `runtime: hypershift-aws`, and under the name pulumi it stands in
// front of the engine for them.
package main

import (
	"os"

	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy/pack"
	"github.com/hypershift-aws/hypershift-aws/internal/pod/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/pod/pulumishim"
	"github.com/hypershift-aws/hypershift-aws/program"
)

func main() {
	switch {
	case pack.Wanted(os.Args[0]):
		os.Exit(pack.Run(os.Stderr))
	case languagehost.Wanted(os.Args[0]):
		os.Exit(languagehost.Run(program.Run, os.Args[1:], os.Stdout, os.Stderr))
	case pulumishim.Wanted(os.Args[0]):
		os.Exit(pulumishim.Run(pulumishim.Process(), os.Args[1:]))
	}
	os.Exit(cli.Run(invocation.System(), os.Args[1:]))
}
