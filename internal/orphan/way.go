package orphan

import "strings"

// Every type is in one of four places: keys has its key, searches how it is searched for, overwritten that making it
// again does no harm, and unfindable what to do since AWS cannot be asked for it.

const (
	// MainAssociation is the type that says which of a VPC's route tables is its main one. It has no tags, and no ID by
	// which it can be imported.
	MainAssociation = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"

	secondaryCIDR = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"
	hostedZone    = "aws:route53/zone:Zone"
	ingressRule   = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	egressRule    = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
)

// overwritten are the types of which making one where it is already does no harm: it only sets something or, of a
// service-linked role, the program takes the one that its account has.
func overwritten() []string {
	return []string{
		"aws:cloudwatch/eventTarget:EventTarget",
		"aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
		"aws:ec2/tag:Tag",
		"aws:iam/serviceLinkedRole:ServiceLinkedRole",
		"aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2",
		"aws:s3/bucketObjectv2:BucketObjectv2",
		"aws:s3/bucketOwnershipControls:BucketOwnershipControls",
		"aws:s3/bucketPolicy:BucketPolicy",
		"aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
		"aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2",
		"aws:s3/bucketVersioningV2:BucketVersioningV2",
		"aws:sqs/queuePolicy:QueuePolicy",
	}
}

// unfindable says, by type, what somebody must do about one that may have been made.
func unfindable() map[string]string {
	return map[string]string{
		"aws:cloudfront/originAccessControl:OriginAccessControl": "it has no tags, and CloudFront allows its name once: if the name is refused as taken, delete it there",
		"aws:iam/accessKey:AccessKey":                            "its secret is lost: delete it from its user if it is there",
		"aws:iam/serviceLinkedRole:ServiceLinkedRole":            "it is its account's, which has one of each: the next run takes the one that is there",
	}
}

// Overwrites is whether making the resource does no harm where it is there already: it only sets something, or says
// itself that it takes over what it finds, as everything in Kubernetes does.
func (t Trace) Overwrites() bool {
	for _, token := range overwritten() {
		if token == t.Type {
			return true
		}
	}
	overwrites, _ := t.Inputs["allowOverwrite"].(bool)
	return overwrites || strings.HasPrefix(t.Type, "kubernetes:")
}

// Remedy is what somebody must do about the resource where AWS cannot be asked for it.
func (t Trace) Remedy() string {
	if remedy := unfindable()[t.Type]; remedy != "" {
		return remedy
	}
	return "look for it there and delete it"
}

// Findable is whether AWS can be asked for the resource such that the answer is about this stack's.
func (t Trace) Findable() bool {
	_, known := keys()[t.Type]
	return (known || t.Searched()) && (len(t.Tags()) > 0 || len(t.PartOf()) > 0)
}

// Searched is whether the resource is to be searched for, and can be: it has tags, or needs none.
func (t Trace) Searched() bool {
	s, ok := searches()[t.Type]
	return ok && (s.tagless || len(t.Tags()) > 0)
}

// PartOf are the IDs of what the resource is part of. If that is the stack's, so is a resource without tags, and a
// private zone whose creation was cut off before it had its tags: AWS allows one of a name in a VPC.
func (t Trace) PartOf() []string {
	var ids []string
	switch t.Type {
	case MainAssociation, secondaryCIDR:
		return []string{t.Text("vpcId")}
	case ingressRule, egressRule:
		return []string{t.Text("securityGroupId")}
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
