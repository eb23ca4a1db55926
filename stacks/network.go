package stacks

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// NetworkKind returns the kind of a hosted cluster's network.
func NetworkKind() Kind {
	return Kind{config.NetworkDefinition(), func(ctx *pulumi.Context, at placement, section config.Section) (any, error) {
		return runNetwork(ctx, at, section.(*config.Network))
	}}
}

// runNetwork registers the network of a hosted cluster, with the names that it has in a stack of kind cluster, and returns the stack's outputs.
func runNetwork(ctx *pulumi.Context, place placement, n *config.Network) (*NetworkOutputs, error) {
	e := &clusterProgram{place: place, config: n.OfCluster(), region: place.region}
	zones, err := e.zonesOrFirst(ctx)
	if err != nil {
		return nil, err
	}
	account, err := place.account(ctx, nil)
	if err != nil {
		return nil, err
	}
	made, err := network.NewGuestNetwork(ctx, "network", e.networkArgs(zones), place.components...)
	if err != nil {
		return nil, place.origin.Refused(err, config.KindNetwork, "network")
	}
	return &NetworkOutputs{
		GuestOutputs: made.GuestOutputs, Kind: pulumi.String(config.KindNetwork), Name: pulumi.String(n.Name), InfraID: pulumi.String(n.InfraID),
		BaseDomain: pulumi.String(n.BaseDomain), BaseDomainPrefix: pulumi.String(n.BaseDomainPrefix), EndpointAccess: pulumi.String(n.EndpointAccess),
		AccountID: pulumi.String(account), Region: pulumi.String(place.region), PublicOnly: pulumi.Bool(n.Network.PublicOnly),
		Zones:         pulumi.ToStringArray(made.Zones),
		PrivateZoneID: made.PrivateZone.ID, LocalZoneID: made.LocalZone.ID, PublicZoneID: made.PublicZone.ID,
	}, place.guardDestroy(ctx, Dependent{Kind: config.KindNetwork, Section: n, Name: n.Name}, n.Unprotected)
}

// readPart reads the outputs of the stack of a part of the cluster, which the key at path names.
func (p placement) readPart(ctx *pulumi.Context, path, resource, stack string, names []string) (map[string]any, error) {
	outputs, err := readOutputs(ctx, resource, stack, names, p.top...)
	if err != nil {
		return nil, fmt.Errorf("reading the stack %q, which %s names: %w", stack, path, err)
	}
	return outputs, nil
}

// readNetwork reads the outputs of a network stack, which the key at path names.
func (p placement) readNetwork(ctx *pulumi.Context, path, stack string) (*config.NetworkOutputs, error) {
	outputs, err := p.readPart(ctx, path, "network-stack", stack, []string{
		"kind", "name", "infraID", "baseDomain", "baseDomainPrefix", "endpointAccess", "accountID", "region", "vpcID", "publicOnly", "zones",
		"privateSubnetIDs", "publicSubnetIDs", "privateZoneID", "localZoneID", "publicZoneID",
	})
	if err != nil {
		return nil, err
	}
	n, err := config.ReadNetwork(path, stack, outputs)
	return n, p.origin.Placed(err)
}

// readParts makes the cluster use the network and the roles of the stacks that its config names.
func (e *clusterProgram) readParts(ctx *pulumi.Context) error {
	if e.config.NetworkStack == "" && e.config.IAMStack == "" {
		return nil
	}
	account, err := e.place.account(ctx, nil)
	if err != nil {
		return err
	}
	if stack := e.config.NetworkStack; stack != "" {
		n, err := e.place.readNetwork(ctx, config.ClusterKey+".networkStack", stack)
		if err != nil {
			return err
		}
		if err := e.config.UseNetwork(n, e.region, account); err != nil {
			return e.place.origin.Placed(err)
		}
	}
	if stack := e.config.IAMStack; stack != "" {
		outputs, err := e.place.readPart(ctx, config.ClusterKey+".iamStack", "iam-stack", stack, []string{
			"kind", "name", "infraID", "accountID", "issuerURL", "workerInstanceProfile", "kmsKeyARN", "roleARNs",
		})
		if err != nil {
			return err
		}
		o, err := config.ReadIAM(stack, outputs)
		if err != nil {
			return e.place.origin.Placed(err)
		}
		return e.place.origin.Placed(e.config.UseIAM(o, account))
	}
	return nil
}
