package management

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/publiczone"
)

// ZoneArgs configure the public hosted zone of the hosted clusters' DNS names.
type ZoneArgs struct {
	// Domain is the name of the hosted zone, in lower case and without a trailing dot. Required. Changing it replaces the
	// zone.
	Domain string `yaml:"domain" pulumi:"domain"`
	// Existing is true if the account has the hosted zone, which is then looked up, and not changed. Default false: the
	// zone is created.
	Existing bool `yaml:"existing" pulumi:"existing,optional"`
	// ParentZone is the domain of an existing public hosted zone above domain. A zone that is created is delegated from
	// it; for an existing zone, the delegation is checked. Default none: the output zoneDelegation lists the records to
	// create.
	ParentZone string `yaml:"parentZone" pulumi:"parentZone,optional"`
	// ParentZoneOwner is the provider of the account of the parent zone. Default: the account of the other resources.
	ParentZoneOwner *aws.Provider `yaml:"-" pulumi:"parentZoneOwner,optional"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args ZoneArgs) Validate() error {
	var faults fault.Faults
	if args.Domain == "" {
		faults.Add("domain", nil, "is missing", "set the domain of the hosted clusters' public names")
	} else {
		faults.Join("domain", hypershift.ValidateDomain(args.Domain))
	}
	switch {
	case args.ParentZone != "":
		faults.Join("parentZone", publiczone.ValidateParent(args.Domain, args.ParentZone))
	case args.ParentZoneOwner != nil:
		faults.Add("parentZone", nil, "is missing, but the account of the parent zone is set",
			"set the domain of the parent zone")
	}
	return faults.Err()
}

// Zone is the public zone. All fields are empty if there is none.
type Zone struct {
	// ID is the zone's ID, "Z…", without "/hostedzone/".
	ID pulumi.StringOutput `pulumi:"id"`
	// ARN is "arn:<partition>:route53:::hostedzone/<ID>".
	ARN pulumi.StringOutput `pulumi:"arn"`
	// Domain is the zone's name, without a final dot.
	Domain pulumi.StringOutput `pulumi:"domain"`
	// NameServers are the zone's name servers.
	NameServers pulumi.StringArrayOutput `pulumi:"nameServers"`
	// Delegation is a sentence with the NS records that must be created and their zone, so that names in the zone resolve;
	// "" if they are known to exist.
	Delegation pulumi.StringOutput `pulumi:"delegation"`
}

// publicZone is the zone for the public names of hosted clusters.
type publicZone struct {
	*builder
	// existing is the existing zone, and parentID the ID of the zone that delegates to it.
	existing *route53.LookupZoneResult
	parentID string
}

// find looks up the existing zones in args, and checks the delegation of an existing zone.
func (z *publicZone) find() error {
	args := z.args.Zone
	if args == nil {
		return nil
	}
	var faults fault.Faults
	if args.ParentZone != "" {
		parent, err := publiczone.LookUp(z.ctx, args.ParentZone, publiczone.ParentRemedy, z.inParent())
		if err == nil {
			z.parentID = parent.ZoneId
		}
		if err == nil && !args.Existing {
			err = publiczone.Child{
				Domain: args.Domain, Parent: args.ParentZone, ParentID: z.parentID,
				Tag: hypershift.StackTag, Value: z.args.StackTag(z.ctx), AnyValue: true,
			}.CheckUndelegated(z.ctx, z.inParent(), z.parent())
		}
		faults.Join("parentZone", err)
	}
	if args.Existing {
		zone, err := publiczone.LookUp(z.ctx, args.Domain, "correct it, or leave existing out to create the zone", z.parent())
		faults.Join("domain", err)
		z.existing = zone
	}
	if err := faults.Err(); err != nil || z.existing == nil || z.parentID == "" {
		return err
	}
	return z.checkDelegation(z.parentID, z.existing.NameServers)
}

// create creates the zone and its delegation, or outputs the existing one.
func (z *publicZone) create() error {
	args := z.args.Zone
	switch {
	case args == nil:
		return nil
	case args.Existing:
		z.useExisting()
		return nil
	}
	zone, err := route53.NewZone(z.ctx, z.child("zone"), &route53.ZoneArgs{
		Name:         pulumi.String(args.Domain),
		Comment:      pulumi.String("Public names of hosted clusters"),
		ForceDestroy: pulumi.Bool(z.args.Unprotected),
		Tags:         pulumi.ToStringMap(z.tags()),
	}, z.parent(), z.protect())
	if err != nil {
		return err
	}
	output := &z.made.Zone
	output.ID, output.ARN, output.Domain, output.NameServers = zone.ZoneId, zone.Arn, zone.Name, zone.NameServers
	if z.parentID == "" {
		output.Delegation = publiczone.Delegation(args.Domain, zone.NameServers)
		return nil
	}
	opts := []pulumi.ResourceOption{z.parent()}
	if args.ParentZoneOwner != nil {
		opts = append(opts, pulumi.Provider(args.ParentZoneOwner))
	}
	return publiczone.Delegate(z.ctx, z.child("delegation"), z.parentID, args.Domain, zone.NameServers, opts...)
}

// inParent uses the provider of the parent zone's account.
func (z *publicZone) inParent() pulumi.InvokeOption {
	if owner := z.args.Zone.ParentZoneOwner; owner != nil {
		return pulumi.Provider(owner)
	}
	return z.parent()
}

func (z *publicZone) useExisting() {
	found, output := z.existing, &z.made.Zone
	output.ID = pulumi.String(found.ZoneId).ToStringOutput()
	output.ARN = pulumi.String(found.Arn).ToStringOutput()
	output.Domain = pulumi.String(z.args.Zone.Domain).ToStringOutput()
	output.NameServers = pulumi.ToStringArray(found.NameServers).ToStringArrayOutput()
	if z.parentID == "" {
		output.Delegation = publiczone.Delegation(z.args.Zone.Domain, output.NameServers)
	}
}

// checkDelegation returns a fault if the NS records in the parent zone are not the zone's name servers.
func (z *publicZone) checkDelegation(parentID string, servers []string) error {
	args := z.args.Zone
	var faults fault.Faults
	delegated, err := publiczone.Delegated(z.ctx, parentID, args.ParentZone, args.Domain, z.inParent())
	switch wanted := publiczone.Hosts(servers); {
	case err != nil:
		faults.Join("domain", err)
	case !slices.Equal(delegated, wanted):
		faults.Add("domain", args.Domain, fmt.Sprintf("is not delegated from %s, whose NS records for it are [%s]",
			args.ParentZone, strings.Join(delegated, ", ")), fmt.Sprintf("set them to [%s]", strings.Join(wanted, ", ")))
	}
	return faults.Err()
}
