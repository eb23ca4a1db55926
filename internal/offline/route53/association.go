package route53

import (
	"cmp"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func zoneAssociationKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.VPCAssociationAuthorization, Args: route53.VpcAssociationAuthorizationArgs{},
			State:   route53.VpcAssociationAuthorizationState{},
			Service: "Route 53", Noun: "VPC Association Authorization",
			Calls: aws.Calls{
				Create: "CreateVPCAssociationAuthorization",
				Update: "CreateVPCAssociationAuthorization",
				Remove: "DeleteVPCAssociationAuthorization",
			},
			Global:     true,
			References: []aws.Reference{{Input: "zoneId", Type: awstype.HostedZone, Dependency: aws.DeletedWith}},
			NotFound:   awserr.Template{Code: "VPCAssociationAuthorizationNotFound", Text: "There is no authorization %s"},
			Rules:      []aws.Rule{zoneIsPrivate},
			ID:         aws.Joined(":", "zoneId", "vpcId"),
			OnCreate: func(c *aws.Call) error {
				c.Resource.State["vpcRegion"] = cmp.Or(c.State().String("vpcRegion"), c.Region)
				return nil
			},
		},
		{
			Token: awstype.ZoneAssociation, Args: route53.ZoneAssociationArgs{}, State: route53.ZoneAssociationState{},
			Service: "Route 53", Noun: "Zone Association",
			Calls: aws.Calls{
				Create: "AssociateVPCWithHostedZone",
				Update: "AssociateVPCWithHostedZone",
				Remove: "DisassociateVPCFromHostedZone",
			},
			Global:   true,
			NotFound: awserr.Template{Code: "VPCAssociationNotFound", Text: "There is no association %s"},
			Rules:    []aws.Rule{associatedVPCExists, associationAuthorized, associatedDomainFree},
			ID:       aws.Joined(":", "zoneId", "vpcId"),
			OnCreate: func(c *aws.Call) error {
				c.Resource.State["vpcRegion"] = cmp.Or(c.State().String("vpcRegion"), c.Region)
				zones, err := c.AllAccounts(awstype.HostedZone)
				for _, zone := range zones {
					if zone.ID == c.State().String("zoneId") {
						c.Resource.State["owningAccount"] = zone.Account
					}
				}
				return err
			},
		},
	}
}

// zoneIsPrivate: only private zones can be associated with VPCs.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_CreateVPCAssociationAuthorization.html
func zoneIsPrivate(c *aws.Call) error {
	if len(c.Find(awstype.HostedZone, c.State().String("zoneId")).State.Objects("vpcs")) == 0 {
		return awserr.Errorf("PublicZoneVPCAssociation", "The hosted zone %s is a public hosted zone.",
			c.State().String("zoneId"))
	}
	return nil
}

// associatedVPCExists: the VPC is one of the account's.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_AssociateVPCWithHostedZone.html
func associatedVPCExists(c *aws.Call) error {
	region := cmp.Or(c.State().String("vpcRegion"), c.Region)
	if c.Get(store.Key{Scope: region, Token: awstype.VPC, ID: c.State().String("vpcId")}) == nil {
		return awserr.Errorf("InvalidVPCId", "The VPC: %s does not exist in region %s.", c.State().String("vpcId"), region)
	}
	return nil
}

// associationAuthorized: the zone is the account's own, or its owner has authorized the association.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/hosted-zone-private-associate-vpcs-different-accounts.html
func associationAuthorized(c *aws.Call) error {
	zone, vpc := c.State().String("zoneId"), c.State().String("vpcId")
	authorizations, err := c.AllAccounts(awstype.VPCAssociationAuthorization)
	if err != nil || c.Find(awstype.HostedZone, zone) != nil ||
		slices.ContainsFunc(authorizations, func(f aws.Foreign) bool {
			return f.State.String("zoneId") == zone && f.State.String("vpcId") == vpc
		}) {
		return err
	}
	return awserr.Errorf("NotAuthorizedException", "The VPC: %s has not authorized to associate with your hosted zone.",
		vpc)
}

// associatedDomainFree: a VPC is associated with one private zone per domain.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_AssociateVPCWithHostedZone.html
func associatedDomainFree(c *aws.Call) error {
	zones, err := c.AllAccounts(awstype.HostedZone)
	if err != nil {
		return err
	}
	id := c.State().String("zoneId")
	for _, zone := range zones {
		if zone.ID == id {
			return domainFree(c, id, zone.State.String("name"), c.State().String("vpcId"),
				cmp.Or(c.State().String("vpcRegion"), c.Region))
		}
	}
	return nil
}
