package permissions

// keyEntries are KMS keys, whose IDs are not known beforehand.
func keyEntries() []entry {
	keys := arn("arn:{partition}:kms:{region}:{account}:key/*")
	return []entry{
		{
			token:  "aws:kms/key:Key",
			create: []string{"kms:PutKeyPolicy", "kms:EnableKeyRotation", "kms:TagResource"},
			read:   []string{"kms:DescribeKey", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListResourceTags"},
			update: []string{
				"kms:UpdateKeyDescription", "kms:DisableKeyRotation", "kms:EnableKey", "kms:DisableKey", "kms:UntagResource",
			},
			remove:  []string{"kms:ScheduleKeyDeletion"},
			on:      keys,
			besides: []grant{{actions: []string{"kms:CreateKey"}}},
		},
		{
			token:  "aws:kms/alias:Alias",
			create: []string{"kms:CreateAlias"},
			update: []string{"kms:UpdateAlias"},
			remove: []string{"kms:DeleteAlias"},
			on: func(n Need, all []Need) []string {
				return append(keys(n, all), n.fill("arn:{partition}:kms:{region}:{account}:{name}"))
			},
			besides: []grant{{actions: []string{"kms:ListAliases"}}},
		},
		{
			token: "aws:kms/getKey:getKey",
			read:  []string{"kms:DescribeKey"},
			on:    given("keyId", "arn:{partition}:kms:{region}:{account}:key/{keyId}"),
		},
	}
}
