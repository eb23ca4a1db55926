package awstype

// Types that other packages name.
const (
	KMSKey   = "aws:kms/key:Key"
	KMSAlias = "aws:kms/alias:Alias"
)

func keyTypes() []Type {
	const keys = "arn:{partition}:kms:{region}:{account}:key/*" // AWS chooses the IDs
	return []Type{
		{
			Token: KMSKey, Label: "KMS key", Tagged: true,
			Permissions: Permissions{
				Create: []string{"kms:PutKeyPolicy", "kms:EnableKeyRotation", "kms:TagResource"},
				Read:   []string{"kms:DescribeKey", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListResourceTags"},
				Update: []string{
					"kms:UpdateKeyDescription", "kms:DisableKeyRotation", "kms:EnableKey", "kms:DisableKey", "kms:UntagResource",
				},
				Delete: []string{"kms:ScheduleKeyDeletion"},
				On:     on(keys),
				Others: []Grant{{Actions: []string{"kms:CreateKey"}}},
			},
			Find: tagged("kms:key", "arn:{partition}:kms:{region}:{account}:key/{id}"), Deletion: Deletion{Rank: 98}, Price: "kmsKey",
			Adopt: adoptedBySearch().owned().noted("the key of the alias, else the key with the stack's tag"),
		},
		{
			Token: KMSAlias, Label: "KMS alias",
			Reads: Reads{Named: []string{"kms:ListAliases"}},
			Permissions: Permissions{
				Create: []string{"kms:CreateAlias"},
				Update: []string{"kms:UpdateAlias"},
				Delete: []string{"kms:DeleteAlias"},
				On:     on(keys, "arn:{partition}:kms:{region}:{account}:{name}"),
				Others: []Grant{{Actions: []string{"kms:ListAliases"}}},
			},
			Find: importedAs("{name}").partOf("targetKeyId"), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByImportID("name"),
		},
	}
}
