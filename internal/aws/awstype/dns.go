package awstype

import "time"

// The tokens of Route 53's zones and records.
const (
	HostedZone                  = "aws:route53/zone:Zone"
	Record                      = "aws:route53/record:Record"
	VPCAssociationAuthorization = "aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization"
	ZoneAssociation             = "aws:route53/zoneAssociation:ZoneAssociation"
)

// domainKeys are the config keys that make the name of a cluster's zone.
const domainKeys = "name, baseDomain or baseDomainPrefix"

func dnsTypes() []Type {
	zones := on("arn:{partition}:route53:::hostedzone/*") // AWS chooses the IDs
	changes := on("arn:{partition}:route53:::change/*")
	return []Type{
		{
			Token: HostedZone, Label: "hosted zone", Tagged: true, Hop: "zone",
			Guard: Guard{Needed: "nodes and users find the control plane by its records", Fixed: []string{"name"},
				InputKeys: map[string]string{"name": domainKeys}, Keys: domainKeys, Protected: ForUsers},
			Permissions: Permissions{
				Read: []string{"route53:GetHostedZone", "route53:ListTagsForResource", "route53:ListResourceRecordSets"},
				Update: []string{
					"route53:UpdateHostedZoneComment", "route53:ChangeTagsForResource", "route53:AssociateVPCWithHostedZone",
					"route53:DisassociateVPCFromHostedZone",
				},
				Delete: []string{"route53:DeleteHostedZone", "route53:ChangeResourceRecordSets", "route53:GetDNSSEC"},
				On:     zones,
				Others: []Grant{
					{Actions: []string{"route53:CreateHostedZone"}},
					{Actions: []string{"route53:GetChange"}, On: changes},
					// Route 53 looks at the VPC of a private zone in the caller's name.
					{Actions: []string{"ec2:DescribeVpcs"}},
				},
			},
			Reads: Reads{
				List:     []string{"route53:ListHostedZones"},
				Complete: []string{"route53:ListTagsForResources", "route53:GetHostedZone"},
				Named:    []string{"route53:ListHostedZonesByName", "route53:GetHostedZone"},
			},
			Sweep: Sweep{
				Global: true,
				Delete: []string{"route53:ListResourceRecordSets", "route53:ChangeResourceRecordSets", "route53:DeleteHostedZone"},
				Note:   "with its records",
			},
			// AWS allows one private zone of a name per VPC, but any number of public ones.
			Find: Find{
				Attributes: []string{"name", "vpcs.vpcId"}, PartOf: []string{"vpcs.vpcId"}, TaggedLater: true,
				Tags: TagList{
					Tagging: "route53:hostedzone",
					Region:  "us-east-1",
					ARN:     "arn:{partition}:route53:::hostedzone/{id}",
				},
				Actions: []string{"route53:GetHostedZone", "route53:ListHostedZonesByName"},
			},
			Deletion: Deletion{Rank: 78}, Price: "hostedZone",
			Seconds: Seconds{Create: 70}, // 60 to 80, until the change is in sync
			Adopt:   adoptedBySearch("name", "vpcs.vpcId").must("name, baseDomain, baseDomainPrefix or endpointAccess"),
		},
		{
			Token: Record, Label: "DNS record", Hop: "record",
			Guard: Guard{Needed: "a name of the control plane is found by it", Fixed: []string{"name", "zoneId"},
				Keys: "privateLink", Within: []string{"zoneId"}},
			Permissions: Permissions{
				Create: []string{"route53:ChangeResourceRecordSets"},
				Read:   []string{"route53:GetHostedZone", "route53:ListResourceRecordSets"},
				On:     zones,
				Others: []Grant{{Actions: []string{"route53:GetChange"}, On: changes}},
			},
			Reads: Reads{List: []string{"route53:ListResourceRecordSets"}},
			Sweep: Sweep{
				Operators: true, Global: true,
				Delete: []string{"route53:ChangeResourceRecordSets"},
				Note:   "in public and private zones; found by its name, and everything that it points at: see below",
			},
			Find:     importedAs("{zoneId}_{name}_{type}_{setIdentifier}", "{zoneId}_{name}_{type}").partOf("zoneId"),
			Deletion: Deletion{Rank: 77}, Price: Free,
			Adopt: adoptedByImportID("zoneId", "name", "type", "setIdentifier"),
		},
		{
			Token: VPCAssociationAuthorization, Label: "VPC association authorization",
			Guard: Guard{Unneeded: "it is created again as it was"},
			Reads: Reads{Named: []string{"route53:ListVPCAssociationAuthorizations"}},
			Permissions: Permissions{
				Create: []string{"route53:CreateVPCAssociationAuthorization"},
				Read:   []string{"route53:ListVPCAssociationAuthorizations"},
				Delete: []string{"route53:DeleteVPCAssociationAuthorization"},
				On:     zones,
			},
			Find: importedAs("{zoneId}:{vpcId}").partOf("zoneId"), Price: Free,
			Adopt: adoptedByImportID("zoneId", "vpcId"),
		},
		{
			Token: ZoneAssociation, Label: "hosted zone association",
			Guard: Guard{
				Needed: "a VPC finds the names of the zone by it",
				Fixed:  []string{"vpcId", "zoneId"},
				Within: []string{"vpcId", "zoneId"},
			},
			Reads: Reads{Named: []string{"route53:ListHostedZonesByVPC"}},
			Permissions: Permissions{
				Create: []string{"route53:AssociateVPCWithHostedZone"},
				Delete: []string{"route53:DisassociateVPCFromHostedZone"},
				On:     zones,
				Others: []Grant{
					{Actions: []string{"route53:ListHostedZonesByVPC"}},
					{Actions: []string{"route53:GetChange"}, On: changes},
					{Actions: []string{"ec2:DescribeVpcs"}},
				},
			},
			Find: importedAs("{zoneId}:{vpcId}:{vpcRegion}", "{zoneId}:{vpcId}").partOf("zoneId"), Price: Free,
			Adopt: adoptedByImportID("zoneId", "vpcId"),
		},
	}
}

// Types that other packages name.
const (
	Distribution        = "aws:cloudfront/distribution:Distribution"
	OriginAccessControl = "aws:cloudfront/originAccessControl:OriginAccessControl"
)

// AWS chooses the IDs of CloudFront's resources.

func distributionTypes() []Type {
	distribution := tagged("cloudfront:distribution", "arn:{partition}:cloudfront::{account}:distribution/{id}")
	distribution.Tags.Region = "us-east-1"
	return []Type{
		{
			Token: Distribution, Label: "CloudFront distribution", Tagged: true,
			Guard: Guard{Needed: "clusters' issuers are read through it", Fixed: []string{"staging"},
				Keys: "oidcBucket.access", InputKeys: map[string]string{"aliases": "oidcBucket.distribution.domain"},
				Losses: domainLosses, Protected: ForUsers},
			Permissions: Permissions{
				Create: []string{"cloudfront:CreateDistribution", "cloudfront:TagResource"},
				Read:   []string{"cloudfront:GetDistribution", "cloudfront:ListTagsForResource"},
				Update: []string{"cloudfront:UpdateDistribution", "cloudfront:UntagResource"},
				Delete: []string{"cloudfront:DeleteDistribution"},
				On:     on("arn:{partition}:cloudfront::{account}:distribution/*"),
			},
			// disabled before it is deleted
			Find: distribution, Deletion: Deletion{Rank: 92, Wait: 30 * time.Minute}, Price: "distribution",
			Adopt: adoptedBySearch().owned().noted("or the one that the policy of the OIDC bucket names"),
		},
		{
			Token: OriginAccessControl, Label: "origin access control",
			Guard: Guard{Unneeded: "the bucket that it publishes is guarded, and it is protected"},
			Permissions: Permissions{
				Create: []string{"cloudfront:CreateOriginAccessControl"},
				Read:   []string{"cloudfront:GetOriginAccessControl"},
				Update: []string{"cloudfront:UpdateOriginAccessControl"},
				Delete: []string{"cloudfront:DeleteOriginAccessControl"},
				On:     on("arn:{partition}:cloudfront::{account}:origin-access-control/*"),
			},
			Find:     Find{Remedy: "it has no tags, and its name is unique in CloudFront: if the name is refused because it exists, delete it in CloudFront"},
			Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByGivenID("or the one with which the distribution reads the OIDC bucket"),
		},
	}
}
