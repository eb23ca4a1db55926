// Command plugin is pulumi-resource-hypershift-aws: the components of this project for programs in every language of Pulumi.
package main

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"

	"github.com/hypershift-aws/hypershift-aws/internal/componentplugin"
)

func main() {
	if err := provider.Main(componentplugin.Package, componentplugin.New); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
