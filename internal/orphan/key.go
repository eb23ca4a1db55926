package orphan

import "strings"

// key is how a type is known without a search: AWS allows it once.
type key struct {
	// id is the ID by which the provider imports it.
	id func(Trace, Place) string
	// of are the inputs that name what it is part of. A type without tags is the stack's if that is.
	of []string
}

// keys are the types that have a key.
func keys() map[string]key {
	return map[string]key{
		"aws:iam/role:Role":                                   {id: inputs("", "name")},
		"aws:iam/instanceProfile:InstanceProfile":             {id: inputs("", "name")},
		"aws:iam/user:User":                                   {id: inputs("", "name")},
		"aws:iam/policy:Policy":                               {id: policyARN},
		"aws:iam/openIdConnectProvider:OpenIdConnectProvider": {id: issuerARN},
		"aws:iam/rolePolicy:RolePolicy":                       {id: inputs(":", "role", "name"), of: []string{"role"}},
		"aws:iam/userPolicy:UserPolicy":                       {id: inputs(":", "user", "name"), of: []string{"user"}},
		"aws:iam/rolePolicyAttachment:RolePolicyAttachment":   {id: inputs("/", "role", "policyArn"), of: []string{"role"}},

		"aws:ec2/route:Route": {id: route, of: []string{"routeTableId"}},
		"aws:ec2/routeTableAssociation:RouteTableAssociation":         {id: tableAssociation, of: []string{"routeTableId"}},
		"aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation": {id: inputs("", "vpcId"), of: []string{"vpcId"}},
		"aws:ec2/internetGatewayAttachment:InternetGatewayAttachment": {id: inputs(":", "internetGatewayId", "vpcId"),
			of: []string{"internetGatewayId"}},
		"aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation": {
			id: inputs("/", "vpcEndpointId", "routeTableId"), of: []string{"vpcEndpointId"}},

		"aws:ec2/keyPair:KeyPair": {id: inputs("", "keyName")},
		"aws:ram/resourceAssociation:ResourceAssociation": {
			id: inputs(",", "resourceShareArn", "resourceArn"), of: []string{"resourceShareArn"}},
		"aws:ram/principalAssociation:PrincipalAssociation": {
			id: inputs(",", "resourceShareArn", "principal"), of: []string{"resourceShareArn"}},

		"aws:route53/record:Record":                   {id: record, of: []string{"zoneId"}},
		"aws:route53/zoneAssociation:ZoneAssociation": {id: zoneAssociation, of: []string{"zoneId"}},
		"aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization": {
			id: inputs(":", "zoneId", "vpcId"), of: []string{"zoneId"}},

		"aws:s3/bucketV2:BucketV2":           {id: inputs("", "bucket")},
		"aws:s3/bucket:Bucket":               {id: inputs("", "bucket")},
		"aws:sqs/queue:Queue":                {id: queueURL},
		"aws:cloudwatch/eventRule:EventRule": {id: inputs("", "name")},
		"aws:cloudwatch/logGroup:LogGroup":   {id: inputs("", "name")},
		"aws:kms/alias:Alias":                {id: inputs("", "name"), of: []string{"targetKeyId"}},
	}
}

// ImportID is the ID by which the provider reads the resource, "" where its inputs do not tell.
func (t Trace) ImportID(place Place) string {
	k, ok := keys()[t.Type]
	if !ok {
		return ""
	}
	return k.id(t, place)
}

// inputs joins inputs; "" where one is missing.
func inputs(separator string, names ...string) func(Trace, Place) string {
	return func(t Trace, _ Place) string {
		var texts []string
		for _, name := range names {
			text := t.Text(name)
			if text == "" {
				return ""
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, separator)
	}
}

func route(t Trace, _ Place) string {
	for _, input := range []string{"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"} {
		if to := t.Text(input); to != "" {
			return t.Text("routeTableId") + "_" + to
		}
	}
	return ""
}

func tableAssociation(t Trace, _ Place) string {
	for _, input := range []string{"subnetId", "gatewayId"} {
		if id := t.Text(input); id != "" {
			return id + "/" + t.Text("routeTableId")
		}
	}
	return ""
}

func record(t Trace, _ Place) string {
	zone, name, kind := t.Text("zoneId"), t.Text("name"), t.Text("type")
	if zone == "" || name == "" || kind == "" {
		return ""
	}
	id := zone + "_" + name + "_" + kind
	if set := t.Text("setIdentifier"); set != "" {
		id += "_" + set
	}
	return id
}

// zoneAssociation names the VPC's region where that is not the provider's.
func zoneAssociation(t Trace, p Place) string {
	id := inputs(":", "zoneId", "vpcId")(t, p)
	if region := t.Text("vpcRegion"); id != "" && region != "" && region != p.Region {
		id += ":" + region
	}
	return id
}

func policyARN(t Trace, p Place) string {
	path := t.Text("path")
	if path == "" {
		path = "/"
	}
	if t.Text("name") == "" {
		return ""
	}
	return "arn:" + p.Partition + ":iam::" + p.Account + ":policy" + path + t.Text("name")
}

func issuerARN(t Trace, p Place) string {
	issuer, isURL := strings.CutPrefix(t.Text("url"), "https://")
	if !isURL {
		return ""
	}
	return "arn:" + p.Partition + ":iam::" + p.Account + ":oidc-provider/" + issuer
}

func queueURL(t Trace, p Place) string {
	suffix := "amazonaws.com"
	if p.Partition == "aws-cn" {
		suffix += ".cn"
	}
	if t.Text("name") == "" {
		return ""
	}
	return "https://sqs." + p.Region + "." + suffix + "/" + p.Account + "/" + t.Text("name")
}
