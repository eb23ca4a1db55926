package awstype

// Tag is the type of a single tag, which an account sets on a resource that is shared with it.
const (
	Tag                  = "aws:ec2/tag:Tag"
	ResourceShare        = "aws:ram/resourceShare:ResourceShare"
	ResourceAssociation  = "aws:ram/resourceAssociation:ResourceAssociation"
	PrincipalAssociation = "aws:ram/principalAssociation:PrincipalAssociation"
)

func sharingTypes() []Type {
	shares := on("arn:{partition}:ram:{region}:{account}:resource-share/*")
	associations := Grant{Actions: []string{"ram:GetResourceShareAssociations"}}
	share := tagged("ram:resource-share", "arn:{partition}:ram:{region}:{account}:resource-share/{id}")
	share.Tags.IDIsARN = true
	association := Permissions{
		Create: []string{"ram:AssociateResourceShare"},
		Delete: []string{"ram:DisassociateResourceShare"},
		On:     shares,
		Others: []Grant{associations},
	}
	subnets := association
	subnets.Others = []Grant{{Actions: []string{"ec2:DescribeSubnets"}}, associations}
	return []Type{
		{
			Token: ResourceShare, Label: "resource share", Tagged: true,
			Permissions: Permissions{
				Create: []string{"ram:TagResource"},
				Update: []string{"ram:UpdateResourceShare", "ram:UntagResource"},
				Delete: []string{"ram:DeleteResourceShare"},
				On:     shares,
				Others: []Grant{{Actions: []string{"ram:CreateResourceShare", "ram:ListResourceSharePermissions", "ram:GetResourceShares"}}},
			},
			Find: share, Deletion: Deletion{Rank: 65}, Price: Free,
			Adopt: adoptedBySearch().owned(),
		},
		{
			Token: ResourceAssociation, Label: "resource association", Permissions: subnets,
			Find: importedAs("{resourceShareArn},{resourceArn}").partOf("resourceShareArn"), Price: Free,
			Adopt: adoptedByImportID("resourceShareArn", "resourceArn"),
		},
		{
			Token: PrincipalAssociation, Label: "principal association", Permissions: association,
			Find: importedAs("{resourceShareArn},{principal}").partOf("resourceShareArn"), Price: Free,
			Adopt: adoptedByImportID("resourceShareArn", "principal"),
		},
		{
			Token: Tag, Label: "tag",
			Permissions: Permissions{
				Create: []string{"ec2:CreateTags"},
				Read:   []string{"ec2:DescribeTags"},
				Delete: []string{"ec2:DeleteTags"},
			},
			Find: Find{Replaceable: true}, Price: Free,
			Adopt: adoptedBySetting("creation sets the tag of that key"),
		},
	}
}
