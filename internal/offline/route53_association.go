package offline

import (
	"cmp"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
)

const (
	authorizationToken   = "aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization"
	zoneAssociationToken = "aws:route53/zoneAssociation:ZoneAssociation"
)

func zoneAssociationKinds() []*kind {
	return []*kind{
		{
			token: authorizationToken, args: route53.VpcAssociationAuthorizationArgs{}, state: route53.VpcAssociationAuthorizationState{},
			service: "Route 53", noun: "VPC Association Authorization",
			calls:  calls{"CreateVPCAssociationAuthorization", "CreateVPCAssociationAuthorization", "DeleteVPCAssociationAuthorization"},
			global: true, computed: []string{"vpcRegion"},
			replaces: []string{"vpcId", "vpcRegion", "zoneId"},
			refs:     []ref{{"zoneId", zoneToken, "", part}},
			missing:  answer{"VPCAssociationAuthorizationNotFound", "There is no authorization %s"},
			rules:    []rule{zoneIsPrivate},
			make: func(c *call) error {
				c.rec.ID = c.in().text("zoneId") + ":" + c.in().text("vpcId")
				c.rec.State["vpcRegion"] = cmp.Or(c.in().text("vpcRegion"), c.region)
				return nil
			},
		},
		{
			token: zoneAssociationToken, args: route53.ZoneAssociationArgs{}, state: route53.ZoneAssociationState{},
			service: "Route 53", noun: "Zone Association",
			calls:  calls{"AssociateVPCWithHostedZone", "AssociateVPCWithHostedZone", "DisassociateVPCFromHostedZone"},
			global: true, computed: []string{"vpcRegion"},
			replaces: []string{"vpcId", "vpcRegion", "zoneId"},
			missing:  answer{"VPCAssociationNotFound", "There is no association %s"},
			rules:    []rule{associatedVPCExists, associationAuthorized},
			make: func(c *call) error {
				c.rec.ID = c.in().text("zoneId") + ":" + c.in().text("vpcId")
				c.rec.State["vpcRegion"] = cmp.Or(c.in().text("vpcRegion"), c.region)
				c.rec.State["owningAccount"] = c.account
				return nil
			},
		},
	}
}

// zoneIsPrivate: private zones alone are associated with VPCs.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_CreateVPCAssociationAuthorization.html
func zoneIsPrivate(c *call) error {
	if len(c.find(zoneToken, c.in().text("zoneId")).State.objects("vpcs")) == 0 {
		return refuse("PublicZoneVPCAssociation", "The hosted zone %s is a public hosted zone.", c.in().text("zoneId"))
	}
	return nil
}

// associatedVPCExists: the VPC is one of the account.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_AssociateVPCWithHostedZone.html
func associatedVPCExists(c *call) error {
	region := cmp.Or(c.in().text("vpcRegion"), c.region)
	if c.record(key{region, vpcToken, c.in().text("vpcId")}) == nil {
		return refuse("InvalidVPCId", "The VPC: %s does not exist in region %s.", c.in().text("vpcId"), region)
	}
	return nil
}

// associationAuthorized: the zone is the account's own, or its account has authorized the association.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/hosted-zone-private-associate-vpcs-different-accounts.html
func associationAuthorized(c *call) error {
	zone, vpc := c.in().text("zoneId"), c.in().text("vpcId")
	authorizations, err := c.everywhere(authorizationToken)
	if err != nil || c.find(zoneToken, zone) != nil || slices.ContainsFunc(authorizations, func(f foreign) bool {
		return f.State.text("zoneId") == zone && f.State.text("vpcId") == vpc
	}) {
		return err
	}
	return refuse("NotAuthorizedException", "The VPC: %s has not authorized to associate with your hosted zone.", vpc)
}
