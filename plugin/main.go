// Command plugin is pulumi-resource-hypershift-aws: the components of this project for programs in every language of
// Pulumi.
package main

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
)

func main() {
	if err := provider.Main(componentplugin.Package,
		func(host *provider.HostClient) (pulumirpc.ResourceProviderServer, error) {
			return componentplugin.New(host, programguard.Component)
		}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
