package network

import (
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/publiczone"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// PublicZone creates the base domain's public hosted zone in the cluster's account. AWS deletes it only once it has no
// other records than its own: those of other clusters in the domain keep it.
type PublicZone struct {
	// ParentZone is the domain of an existing public hosted zone above baseDomain. It gets the NS records that delegate
	// baseDomain to the new zone. Default none: the output publicZoneDelegation lists the records to create.
	ParentZone string `yaml:"parentZone" pulumi:"parentZone,optional"`
	// ParentZoneOwner is the provider of the account of the parent zone. Default: the cluster's account.
	ParentZoneOwner *aws.Provider `yaml:"-" pulumi:"parentZoneOwner,optional"`
}

// validatePublicZone returns the faults of the public zone that is created or chosen.
func (args *GuestNetworkArgs) validatePublicZone() error {
	var faults fault.Faults
	switch id := args.PublicZoneID; {
	case id == "":
	case !hostedZonePattern.MatchString(id):
		faults.Add("publicZoneID", id, "is not the ID of a hosted zone",
			"use one such as Z0123456789ABCDEFGHIJ, without /hostedzone/")
	case !args.EndpointAccess.HasPublic():
		faults.Add("publicZoneID", id, "is not used with endpointAccess Private, which has no public zone", "leave it out")
	case args.PublicZone != nil:
		faults.Add("publicZoneID", id, "is an existing zone, but publicZone creates one", "set only one of the two")
	}
	if args.PublicZone == nil {
		return faults.Err()
	}
	if !args.EndpointAccess.HasPublic() {
		faults.Add("publicZone", nil, "is not used with endpointAccess Private, which has no public zone", "leave it out")
	}
	switch parent := args.PublicZone.ParentZone; {
	case parent != "" && args.BaseDomain != "":
		faults.Join("publicZone.parentZone", publiczone.ValidateParent(args.BaseDomain, parent))
	case parent == "" && args.PublicZone.ParentZoneOwner != nil:
		faults.Add("publicZone.parentZone", nil, "is missing, but the account of the parent zone is set",
			"set the domain of the parent zone")
	}
	return faults.Err()
}

// publicZone is the base domain's public zone.
type publicZone struct {
	*guest
	// parentID is the ID of the zone that delegates to a zone that is created, "" for none.
	parentID string
}

// find looks up the base domain's public zone, or the parent zone of the one that is created. With endpointAccess
// Private there is none.
func (z *publicZone) find() error {
	switch {
	case !z.args.EndpointAccess.HasPublic():
		return nil
	case z.args.PublicZone == nil:
		return z.findExisting()
	case z.args.PublicZone.ParentZone == "":
		return nil
	}
	var faults fault.Faults
	parent, err := publiczone.LookUp(z.ctx, z.args.PublicZone.ParentZone, publiczone.ParentRemedy, z.inParent())
	if err == nil {
		z.parentID = parent.ZoneId
		err = publiczone.Child{
			Domain: z.args.BaseDomain, Parent: z.args.PublicZone.ParentZone, ParentID: z.parentID,
			Tag: hypershift.InfraIDTag, Value: z.args.Cluster.InfraID,
		}.CheckUndelegated(z.ctx, z.inParent(), z.inCluster())
	}
	faults.Join("publicZone.parentZone", err)
	return faults.Err()
}

// findExisting looks up the base domain's public zone in the cluster's account.
func (z *publicZone) findExisting() error {
	var faults fault.Faults
	domain, private := z.args.BaseDomain, false
	wanted := &route53.LookupZoneArgs{Name: &domain, PrivateZone: &private}
	if id := z.args.PublicZoneID; id != "" {
		wanted = &route53.LookupZoneArgs{ZoneId: &id}
	}
	zone, err := route53.LookupZone(z.ctx, wanted, z.inCluster())
	switch id := z.args.PublicZoneID; {
	case err != nil && id != "":
		faults.Join("publicZoneID", lookupFault(id, err, "use a hosted zone of the cluster's account"))
		return faults.Err()
	case err != nil:
		faults.Join("baseDomain", awsprovider.PublicZone(domain, err,
			"create the zone in this account or set network.publicZone, correct baseDomain, or use endpointAccess Private", "set network.publicZoneID"))
		return faults.Err()
	case id != "" && (strings.TrimSuffix(zone.Name, ".") != domain || zone.PrivateZone != nil && *zone.PrivateZone):
		faults.Add("publicZoneID", id, "is the zone "+zone.Name+", not the public zone "+domain, "use the ID of that zone")
		return faults.Err()
	}
	if zone.ZoneId == "" {
		return awsprovider.Unanswered("aws:route53/getZone:getZone", "zoneId")
	}
	z.network.PublicZone = HostedZone{ID: text(zone.ZoneId), ARN: text(zone.Arn), Name: text(zone.Name)}
	return nil
}

// create creates the zone and its delegation, unless the account has it.
func (z *publicZone) create() error {
	args := z.args.PublicZone
	if args == nil || !z.args.EndpointAccess.HasPublic() {
		return nil
	}
	zone, err := route53.NewZone(z.ctx, z.child("public-zone"), &route53.ZoneArgs{
		Name:    pulumi.String(z.args.BaseDomain),
		Comment: pulumi.String("Public names of hosted clusters"),
		// Operators and users find what is a cluster's own by other tags: other clusters may have records here.
		Tags: pulumi.ToStringMap(z.args.Cluster.IAMTags()),
	}, z.inCluster())
	if err != nil {
		return err
	}
	n := z.network
	n.PublicZone = HostedZone{ID: zone.ZoneId, ARN: zone.Arn, Name: zone.Name}
	n.PublicZoneNameServers = zone.NameServers
	if z.parentID == "" {
		n.PublicZoneDelegation = publiczone.Delegation(z.args.BaseDomain, zone.NameServers)
		return nil
	}
	opts := []pulumi.ResourceOption{z.inCluster()}
	if args.ParentZoneOwner != nil {
		opts = append(opts, pulumi.Provider(args.ParentZoneOwner))
	}
	return publiczone.Delegate(z.ctx, z.child("public-zone-delegation"), z.parentID, z.args.BaseDomain, zone.NameServers,
		opts...)
}

// inParent uses the provider of the parent zone's account.
func (z *publicZone) inParent() pulumi.InvokeOption {
	if owner := z.args.PublicZone.ParentZoneOwner; owner != nil {
		return pulumi.Provider(owner)
	}
	return z.inCluster()
}
