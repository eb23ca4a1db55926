package guarded

import "github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"

// awsTypes are the types in AWS that living clusters depend on: instances cannot be created again with the same properties, because an ID, a
// name, data or an address is lost; and the routes, policies, records and endpoints without which those are of no use.
func awsTypes() []Type {
	const credentials = "HyperShift's operator and external-dns call AWS with it"
	return []Type{
		{Token: awstype.VPC, Needed: "nodes and endpoints are in it", Fixed: []string{"cidrBlock"}},
		{Token: awstype.Subnet, Needed: "nodes, endpoints and load balancers are in it", Fixed: []string{"availabilityZone", "cidrBlock", "vpcId"}},
		{Token: awstype.NATGateway, Needed: "nodes reach the internet through it, from its address",
			Fixed: []string{"allocationId", "connectivityType", "subnetId"}},
		{Token: awstype.Route, Needed: "traffic of nodes takes it",
			Fixed:  []string{"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId", "routeTableId"},
			Within: []string{"natGatewayId", "routeTableId"}},
		{Token: awstype.RouteTableAssociation, Needed: "it gives a subnet its routes", Fixed: []string{"gatewayId", "subnetId"}, Within: []string{"subnetId"}},
		{Token: awstype.TransitGatewayAttachment, Needed: "traffic of nodes takes it", Fixed: []string{"transitGatewayId", "vpcId"}, Within: []string{"vpcId"}},
		{Token: awstype.VPCEndpoint, Needed: "nodes reach a service or the control plane through it",
			Fixed: []string{"serviceName", "vpcEndpointType", "vpcId"}, Within: []string{"vpcId"}},
		{Token: awstype.Role, Needed: "operators and nodes call AWS with it", Fixed: []string{"name", "path"}},
		{Token: awstype.RolePolicy, Needed: "it has permissions of a role that stays", Fixed: []string{"name", "role"}, Within: []string{"role"}},
		{Token: awstype.RolePolicyAttachment, Needed: "it has permissions of a role that stays", Fixed: []string{"policyArn", "role"}, Within: []string{"role"}},
		{Token: awstype.InstanceProfile, Needed: "nodes are started with it", Fixed: []string{"name", "path"}, Within: []string{"role"}},
		{Token: awstype.OIDCProvider, Needed: "AWS accepts the tokens of operators because of it", Fixed: []string{"url"}},
		{Token: awstype.User, Needed: credentials, Remedy: newIdentity, Fixed: []string{"name"}},
		{Token: awstype.UserPolicy, Needed: "it has the permissions of a user that stays", Remedy: newIdentity, Fixed: []string{"name", "user"}, Within: []string{"user"}},
		{Token: awstype.AccessKey, Needed: credentials, Remedy: newIdentity, Fixed: []string{"user"}, Within: []string{"user"}},
		{Token: awstype.HostedZone, Needed: "nodes and users find the control plane by its records", Fixed: []string{"name"}, Protected: ForUsers},
		{Token: awstype.Record, Needed: "a name of the control plane is found by it", Fixed: []string{"name", "zoneId"}, Within: []string{"zoneId"}},
		{Token: awstype.ZoneAssociation, Needed: "a VPC finds the names of the zone by it", Fixed: []string{"vpcId", "zoneId"}, Within: []string{"vpcId", "zoneId"}},
		{Token: awstype.Bucket, Needed: "it has data of clusters, such as the keys that verify their tokens", Fixed: []string{"bucket"}, Protected: ForUsers},
		{Token: awstype.KMSKey, Needed: "what etcd stores cannot be read without it",
			Fixed: []string{"customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion"}, Protected: ForUsers},
	}
}
