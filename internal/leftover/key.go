package leftover

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

		"aws:route53/record:Record": {id: record, of: []string{"zoneId"}},

		"aws:s3/bucketV2:BucketV2": {id: inputs("", "bucket")},
		"aws:s3/bucket:Bucket":     {id: inputs("", "bucket")},
		"aws:sqs/queue:Queue":      {id: queueURL},
	}
}

// searched are the types without a key: EC2 and Route 53 find them.
func searched() []string {
	return []string{
		"aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:ec2/internetGateway:InternetGateway", "aws:ec2/eip:Eip",
		"aws:ec2/natGateway:NatGateway", "aws:ec2/routeTable:RouteTable", "aws:ec2/vpcDhcpOptions:VpcDhcpOptions",
		"aws:ec2/vpcEndpoint:VpcEndpoint", "aws:ec2/vpcEndpointService:VpcEndpointService",
		"aws:ec2/securityGroup:SecurityGroup", "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
		"aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", "aws:route53/zone:Zone", MainAssociation,
	}
}

// MainAssociation is the type that says which of a VPC's route tables is its main one. It has no tags, and no ID by
// which it can be imported.
const MainAssociation = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"

const hostedZone = "aws:route53/zone:Zone"

// ImportID is the ID by which the provider reads the resource, "" where its inputs do not tell.
func (t Trace) ImportID(place Place) string {
	k, ok := keys()[t.Type]
	if !ok {
		return ""
	}
	return k.id(t, place)
}

// PartOf are the IDs of what the resource is part of. If that is the stack's, so is a resource without tags, and a
// private zone whose creation was cut off before it had its tags: AWS allows one of a name in a VPC.
func (t Trace) PartOf() []string {
	var ids []string
	switch t.Type {
	case MainAssociation:
		return []string{t.Text("vpcId")}
	case hostedZone:
		vpcs, _ := t.Inputs["vpcs"].([]any)
		for _, v := range vpcs {
			vpc, _ := v.(map[string]any)
			id, _ := vpc["vpcId"].(string)
			ids = append(ids, id)
		}
		return ids
	}
	for _, input := range keys()[t.Type].of {
		ids = append(ids, t.Text(input))
	}
	return ids
}

// Known is whether the type has a key, Searched whether it is to be searched for, by tags that are given.
func (t Trace) Known() bool { _, ok := keys()[t.Type]; return ok }

// Searched is whether the resource is to be searched for, and can be: it has tags, or needs none.
func (t Trace) Searched() bool {
	for _, token := range searched() {
		if token == t.Type {
			return t.Type == MainAssociation || len(t.Tags()) > 0
		}
	}
	return false
}

// Overwrites is whether making the resource does no harm where it is there already: it only sets something, or says
// itself that it takes over what it finds.
func (t Trace) Overwrites() bool {
	switch t.Type {
	case "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "aws:kms/alias:Alias", "aws:sqs/queuePolicy:QueuePolicy",
		"aws:cloudwatch/eventRule:EventRule", "aws:cloudwatch/eventTarget:EventTarget":
		return true
	case "aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2":
		return false
	}
	overwrites, _ := t.Inputs["allowOverwrite"].(bool)
	return overwrites || strings.HasPrefix(t.Type, "aws:s3/bucket")
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
