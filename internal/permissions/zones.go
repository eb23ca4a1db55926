package permissions

// zoneEntries are Route 53's zones, whose IDs are not known beforehand.
func zoneEntries() []entry {
	zones := arn("arn:{partition}:route53:::hostedzone/*")
	changes := arn("arn:{partition}:route53:::change/*")
	return []entry{
		{
			token: "aws:route53/zone:Zone",
			read:  []string{"route53:GetHostedZone", "route53:ListTagsForResource", "route53:ListResourceRecordSets"},
			update: []string{
				"route53:UpdateHostedZoneComment", "route53:ChangeTagsForResource", "route53:AssociateVPCWithHostedZone",
				"route53:DisassociateVPCFromHostedZone",
			},
			remove: []string{"route53:DeleteHostedZone", "route53:ChangeResourceRecordSets", "route53:GetDNSSEC"},
			on:     zones,
			besides: []grant{
				{actions: []string{"route53:CreateHostedZone"}},
				{actions: []string{"route53:GetChange"}, on: changes},
				// Route 53 looks at the VPC of a private zone in the caller's name.
				{actions: []string{"ec2:DescribeVpcs"}},
			},
		},
		{
			token:   "aws:route53/record:Record",
			create:  []string{"route53:ChangeResourceRecordSets"},
			read:    []string{"route53:GetHostedZone", "route53:ListResourceRecordSets"},
			on:      zones,
			besides: []grant{{actions: []string{"route53:GetChange"}, on: changes}},
		},
		{
			token:   "aws:route53/getZone:getZone",
			read:    []string{"route53:GetHostedZone", "route53:ListTagsForResource", "route53:ListResourceRecordSets"},
			on:      zones,
			besides: []grant{{actions: []string{"route53:ListHostedZones", "route53:ListHostedZonesByName"}}},
		},
		{token: "aws:route53/getRecords:getRecords", read: []string{"route53:ListResourceRecordSets"}, on: zones},
	}
}
