package author

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// givenDocuments are the documents of resources that HyperShift's CLI created, for a stack that uses them.
type givenDocuments struct {
	infra documents.Infra
	iam   documents.IAM
	// publicSubnets are in the order of the zones: the document does not contain them.
	publicSubnets []string
}

// takeDocuments reads the files and fills in their values, unless a flag sets them.
func (v *newValues) takeDocuments() error {
	infra, iam, err := invocation.ReadDocuments(v.infraJSON, v.iamJSON)
	switch {
	case err != nil || infra == nil && v.publicSubnets == nil:
		return err
	case infra == nil:
		return invocation.Refuse("--infra-json and --iam-json must be used together")
	}
	d := &givenDocuments{*infra, *iam, v.publicSubnets}
	if err := d.check(hypershift.EndpointAccess(v.endpointAccess)); err != nil {
		return err
	}
	for _, f := range []struct {
		value *string
		from  string
	}{
		{&v.name, d.infra.Name}, {&v.infraID, d.infra.InfraID}, {&v.region, d.infra.Region},
		{&v.baseDomain, d.infra.BaseDomain},
		{&v.baseDomainPrefix, d.infra.BaseDomainPrefix}, {&v.oidcIssuer, d.iam.IssuerURL}, {&v.kmsKey, d.iam.KMSKeyARN},
	} {
		if *f.value == "" {
			*f.value = f.from
		}
	}
	v.documents = d
	return nil
}

// check refuses documents whose resources a stack cannot use as existing.
func (d *givenDocuments) check(access hypershift.EndpointAccess) error {
	switch {
	case d.iam.SharedIngressRoleARN != "" || d.infra.VPCCreatorAccountID != "":
		return invocation.Refuse("the documents describe a shared VPC, whose owner's roles cannot be used as existing: use `render`, which needs no stack")
	case access.HasPublic() && !d.infra.PublicOnly && len(d.publicSubnets) != len(d.infra.Zones):
		var zones []string
		for _, zone := range d.infra.Zones {
			zones = append(zones, zone.Name)
		}
		return invocation.Refuse("the infra document has no public subnets, which --endpoint-access %s needs: use --public-subnets, one each for %s, or --endpoint-access Private if there are none",
			access.OrDefault(), strings.Join(zones, ", "))
	}
	return nil
}

// network returns the config of the network.
func (d *givenDocuments) network(access hypershift.EndpointAccess) network.GuestNetworkArgs {
	args := network.GuestNetworkArgs{PublicOnly: d.infra.PublicOnly, Existing: &network.ExistingVPC{
		VPCID: pulumi.String(d.infra.VPCID), PrivateZoneID: pulumi.String(d.infra.PrivateZoneID),
	}}
	for i, zone := range d.infra.Zones {
		subnets := network.ExistingSubnets{Zone: zone.Name, Private: pulumi.String(zone.SubnetID)}
		if d.infra.PublicOnly {
			subnets.Private, subnets.Public = nil, subnets.Private
		} else if access.HasPublic() {
			subnets.Public = pulumi.String(d.publicSubnets[i])
		}
		args.Existing.Subnets = append(args.Existing.Subnets, subnets)
	}
	if access.HasPrivate() {
		args.Existing.LocalZoneID = pulumi.String(d.infra.LocalZoneID)
	}
	if d.infra.ProxyAddr != "" {
		args.Proxy = &network.Proxy{
			HTTPAddress: pulumi.String(d.infra.ProxyAddr), HTTPSAddress: pulumi.String(d.infra.SecureProxyAddr),
			CA: pulumi.String(d.infra.ProxyCA),
		}
	}
	return args
}

// roles returns the config of the roles.
func (d *givenDocuments) roles() iam.RoleOptions {
	roles := map[iam.RoleName]pulumi.StringInput{}
	for name, arn := range d.iam.RoleARNs() {
		roles[name] = pulumi.String(arn)
	}
	return iam.RoleOptions{
		Karpenter: d.iam.KarpenterRoleARN != "", Existing: &iam.Existing{Roles: roles, InstanceProfile: pulumi.String(d.iam.ProfileName)},
	}
}
