package offline

import "testing"

func TestAZoneIsAssociatedByItsOwnAccountOrWithItsLeave(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	owner := attach(t, server, props{"region": "us-east-1", "allowedAccountIds": `["210987654321"]`})
	e := attach(t, server, props{"region": "us-east-1"})
	ownersVPC, vpc := owner.vpc(), e.vpc()
	zone := owner.id(zoneToken, props{"name": "demo.example.com", "vpcs": []any{map[string]any{"vpcId": ownersVPC}}})

	_, _, err := e.try(zoneAssociationToken, props{"zoneId": zone, "vpcId": vpc}, false)
	refused(t, err, "NotAuthorizedException")
	_, _, err = e.try(zoneAssociationToken, props{"zoneId": zone, "vpcId": "vpc-0123456789abcdef0"}, false)
	refused(t, err, "InvalidVPCId")
	_, _, err = owner.try(authorizationToken, props{"zoneId": owner.publicZone("public.example.com"), "vpcId": vpc}, false)
	refused(t, err, "PublicZoneVPCAssociation")

	owner.id(authorizationToken, props{"zoneId": zone, "vpcId": vpc})
	e.id(zoneAssociationToken, props{"zoneId": zone, "vpcId": vpc})
}
