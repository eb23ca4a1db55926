// Command cli is the part of HyperShift's CLI that creates what a hosted cluster needs in AWS: `create infra aws` and
// `create iam aws`, without what the other commands need, which takes long to compile.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/openshift/hypershift/cmd/infra/aws"
)

func main() {
	root, create := &cobra.Command{Use: "hypershift"}, &cobra.Command{Use: "create"}
	infra, iam := &cobra.Command{Use: "infra"}, &cobra.Command{Use: "iam"}
	infra.AddCommand(aws.NewCreateCommand())
	iam.AddCommand(aws.NewCreateIAMCommand())
	create.AddCommand(infra, iam)
	root.AddCommand(create)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
