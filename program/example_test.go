package program_test

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/program"
)

// The program of a project whose stacks have files.
func ExampleRun() {
	pulumi.Run(program.Run)
}

// Components in a program of your own, of which an update is refused that would harm a running cluster.
func ExampleGuarded() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		return program.Guarded(ctx, func(guard pulumi.ResourceOption) error {
			_, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
				Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
				Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}},
			}, guard)
			return err
		})
	})
}
