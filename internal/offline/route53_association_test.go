package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestAZoneIsAssociatedByItsOwnAccountOrWithItsLeave(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	owner := attach(t, server, props.Map{"region": "us-east-1", "allowedAccountIds": `["210987654321"]`})
	e := attach(t, server, props.Map{"region": "us-east-1"})
	ownersVPC, vpc := owner.vpc(), e.vpc()
	zone := owner.id(awstype.HostedZone, props.Map{
		"name": "demo.example.com",
		"vpcs": []any{map[string]any{"vpcId": ownersVPC}},
	})

	_, _, err := e.try(awstype.ZoneAssociation, props.Map{"zoneId": zone, "vpcId": vpc}, false)
	refused(t, err, "NotAuthorizedException")
	_, _, err = e.try(awstype.ZoneAssociation, props.Map{"zoneId": zone, "vpcId": "vpc-0123456789abcdef0"}, false)
	refused(t, err, "InvalidVPCId")
	_, _, err = owner.try(awstype.VPCAssociationAuthorization, props.Map{
		"zoneId": owner.publicZone("public.example.com"),
		"vpcId":  vpc,
	}, false)
	refused(t, err, "PublicZoneVPCAssociation")

	owner.id(awstype.VPCAssociationAuthorization, props.Map{"zoneId": zone, "vpcId": vpc})
	_, made := e.create(awstype.ZoneAssociation, props.Map{"zoneId": zone, "vpcId": vpc})
	require.Equal(t, "210987654321", made["owningAccount"], "the zone's")
}

func TestAVPCHasOneZonePerDomainOfAnyAccount(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	owner := attach(t, server, props.Map{"region": "us-east-1", "allowedAccountIds": `["210987654321"]`})
	e := attach(t, server, props.Map{"region": "us-east-1"})
	vpc := e.vpc()
	zone := func(vpc string) props.Map {
		return props.Map{"name": "demo.hypershift.local", "vpcs": []any{map[string]any{"vpcId": vpc}}}
	}
	theirs := owner.id(awstype.HostedZone, zone(owner.vpc()))
	association := props.Map{"zoneId": theirs, "vpcId": vpc}
	owner.id(awstype.VPCAssociationAuthorization, association)

	own := e.id(awstype.HostedZone, zone(vpc))
	_, _, err := e.try(awstype.ZoneAssociation, association, false)
	refused(t, err, "ConflictingDomainExists")
	require.NoError(t, e.delete(awstype.HostedZone, own))

	e.id(awstype.ZoneAssociation, association)
	_, _, err = e.try(awstype.HostedZone, zone(vpc), false)
	refused(t, err, "ConflictingDomainExists")
	e.id(awstype.HostedZone, zone(e.vpc()))
}
