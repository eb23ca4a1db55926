package awstype

import "sync"

// AdoptBy is how a stack adopts an existing instance of a type.
type AdoptBy string

const (
	// AdoptBySearch imports the instance that AWS lists with the inputs that Match names.
	AdoptBySearch AdoptBy = "search"
	// AdoptByImportID imports the instance by the ID that follows from its inputs, where AWS lists one with the inputs of Match.
	AdoptByImportID AdoptBy = "import ID"
	// AdoptByRecord writes the instance into the state: the provider has no import for the type, or one that loses an input.
	AdoptByRecord AdoptBy = "record"
	// AdoptBySetting creates it, which overwrites the existing setting.
	AdoptBySetting AdoptBy = "setting"
	// AdoptByID imports it if the user sets its ID: AWS's lists do not identify it.
	AdoptByID AdoptBy = "given ID"
	// AdoptNever always creates another one.
	AdoptNever AdoptBy = "never"
)

// Adoption is how a stack adopts an existing instance of a type.
type Adoption struct {
	Token string
	By    AdoptBy
	// Match are the inputs that an instance must have: "vpcId", "vpcs.vpcId" for an element of a list of objects. Those that are
	// not given are not compared.
	Match []string
	// Owned is true if the instance must carry the tag that names the cluster or the stack, among its inputs' tags.
	Owned bool
	// Named is true if the tag Name distinguishes instances.
	Named bool
	// Must is true if every existing cluster has an instance: a plan that creates one is refused.
	Must bool
	// Note is a note for users, "" for none.
	Note string
}

// Adoptions returns the types of stacks' resources, in no order.
func Adoptions() []Adoption {
	search := func(token string, match ...string) Adoption {
		return Adoption{Token: token, By: AdoptBySearch, Match: match}
	}
	named := func(token string, match ...string) Adoption {
		return Adoption{Token: token, By: AdoptByImportID, Match: match}
	}
	setting := func(token, note string) Adoption { return Adoption{Token: token, By: AdoptBySetting, Note: note} }
	given := func(token, note string) Adoption { return Adoption{Token: token, By: AdoptByID, Note: note} }
	owned := func(a Adoption) Adoption { a.Owned = true; return a }
	must := func(a Adoption) Adoption { a.Must = true; return a }
	withName := func(a Adoption) Adoption { a.Named = true; return a }
	note := func(a Adoption, text string) Adoption { a.Note = text; return a }
	return []Adoption{
		must(owned(withName(search(VPC)))),
		note(owned(search(DHCPOptions)), "those that the VPC uses"),
		named(DHCPOptionsAssociation, "vpcId", "dhcpOptionsId"),
		search(SecondaryCIDR, "vpcId", "cidrBlock"),
		must(search(Subnet, "vpcId", "cidrBlock")),
		note(owned(withName(search(ElasticIP))), "the address of the NAT gateway in its zone"),
		must(search(NATGateway, "subnetId")),
		must(search(InternetGateway, "vpcId")),
		named("aws:ec2/internetGatewayAttachment:InternetGatewayAttachment", "internetGatewayId", "vpcId"),
		must(note(withName(search(RouteTable, "vpcId")), "the one that its subnets are associated with, else by the tag Name")),
		note(named(Route, "routeTableId", "destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"),
			"a route to another target is updated in place"),
		named(RouteTableAssociation, "subnetId", "gatewayId", "routeTableId"),
		{Token: MainRouteTableAssociation, By: AdoptByRecord, Match: []string{"vpcId", "routeTableId"},
			Note: "AWS is not called: the table that destroy gives back is the VPC's own one, without tags and associations"},
		search(SecurityGroup, "vpcId", "name"),
		{Token: DefaultSecurityGroup, By: AdoptBySearch, Match: []string{"vpcId"},
			Note: "one with rules according to --default-security-group: keep does not change it, revoke removes the rules"},
		search(SecurityGroupIngressRule, "securityGroupId", "ipProtocol", "cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId", "fromPort", "toPort"),
		search(SecurityGroupEgressRule, "securityGroupId", "ipProtocol", "cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId", "fromPort", "toPort"),
		search(VPCEndpoint, "vpcId", "serviceName"),
		named("aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation", "vpcEndpointId", "routeTableId"),
		owned(search(VPCEndpointService)),
		search(LoadBalancer, "name"),
		search(TargetGroup, "name"),
		withName(owned(search(Instance))),
		{Token: KeyPair, By: AdoptByRecord, Match: []string{"keyName"}, Note: "AWS is not called: an import would lose the public key; one with another public key is refused"},
		must(named(Role, "name")),
		note(named(RolePolicy, "role", "name"), "a document that differs is updated in place"),
		named("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "role", "policyArn"),
		must(named(InstanceProfile, "name")),
		setting("aws:iam/serviceLinkedRole:ServiceLinkedRole", "the account's, which the stack takes itself"),
		must(named(OIDCProvider, "url")),
		named("aws:iam/policy:Policy", "name", "path"),
		named(User, "name"),
		named("aws:iam/userPolicy:UserPolicy", "user", "name"),
		{Token: "aws:iam/accessKey:AccessKey", By: AdoptNever, Note: "AWS does not return its secret: the stack creates a second key, and the first stays"},
		must(search(HostedZone, "name", "vpcs.vpcId")),
		named(Record, "zoneId", "name", "type", "setIdentifier"),
		named("aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization", "zoneId", "vpcId"),
		named("aws:route53/zoneAssociation:ZoneAssociation", "zoneId", "vpcId"),
		note(owned(search(KMSKey)), "the key of the alias, else the key with the stack's tag"),
		named(KMSAlias, "name"),
		must(named(Bucket, "bucket")),
		setting("aws:s3/bucketObjectv2:BucketObjectv2", "creation overwrites the object"),
		search("aws:s3/bucketPolicy:BucketPolicy", "bucket"),
		search("aws:s3/bucketOwnershipControls:BucketOwnershipControls", "bucket"),
		search("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "bucket"),
		search("aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2", "bucket"),
		search("aws:s3/bucketVersioningV2:BucketVersioningV2", "bucket"),
		search("aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2", "bucket"),
		note(owned(search("aws:cloudfront/distribution:Distribution")), "one without the stack's tag by --id"),
		given("aws:cloudfront/originAccessControl:OriginAccessControl", "it has no tags"),
		named(Queue, "name"),
		search(QueuePolicy, "queueUrl"),
		named(EventRule, "name"),
		search(EventTarget, "rule", "targetId"),
		named(LogGroup, "name"),
		note(owned(search(FlowLog, "vpcId")), "the one with the cluster's tag or the stack's name for it, where network.flowLogs can describe it"),
		owned(search("aws:ram/resourceShare:ResourceShare")),
		named("aws:ram/resourceAssociation:ResourceAssociation", "resourceShareArn", "resourceArn"),
		named("aws:ram/principalAssociation:PrincipalAssociation", "resourceShareArn", "principal"),
		setting("aws:ec2/tag:Tag", "creation sets the tag of that key"),
	}
}

// adoptionByToken has every adoption, built once.
var adoptionByToken = sync.OnceValue(func() map[string]Adoption {
	types := map[string]Adoption{}
	for _, a := range Adoptions() {
		types[a.Token] = a
	}
	return types
})

// AdoptionOf returns how an instance of a type is taken. It reports false for a type without a record.
func AdoptionOf(token string) (Adoption, bool) {
	a, known := adoptionByToken()[token]
	return a, known
}
