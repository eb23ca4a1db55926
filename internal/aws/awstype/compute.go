package awstype

import "time"

// The tokens of hosts and of the keys to log in to them.
const (
	Instance = "aws:ec2/instance:Instance"
	KeyPair  = "aws:ec2/keyPair:KeyPair"
)

func computeTypes() []Type {
	return []Type{
		{
			Token: Instance, Label: "instance", Tagged: true, Hop: "instance",
			Permissions: Permissions{
				Create: []string{"ec2:RunInstances", "ec2:CreateTags"},
				Read: []string{
					"ec2:DescribeInstances", "ec2:DescribeInstanceAttribute", "ec2:DescribeInstanceCreditSpecifications",
					"ec2:DescribeInstanceTypes", "ec2:DescribeTags", "ec2:DescribeVolumes", "ec2:DescribeImages",
				},
				Update: []string{
					"ec2:ModifyInstanceAttribute", "ec2:ModifyInstanceMetadataOptions", "ec2:ModifyVolume", "ec2:StopInstances",
					"ec2:StartInstances", "ec2:DescribeIamInstanceProfileAssociations", "ec2:ReplaceIamInstanceProfileAssociation",
					"ec2:AssociateIamInstanceProfile", "ec2:DeleteTags",
				},
				Delete: []string{"ec2:TerminateInstances"},
				Others: []Grant{
					{
						Actions: []string{"iam:PassRole"},
						On:      Scope{ARNs: []string{roleARN}, Owner: Role, Input: "iamInstanceProfile", Key: "name"},
						When:    passedTo("ec2"),
					},
				},
			},
			Reads: Reads{List: []string{"ec2:DescribeInstances"}},
			Sweep: Sweep{Operators: true, Delete: []string{"ec2:TerminateInstances"}},
			Find:  ec2Tagged("instance"), Deletion: Deletion{Rank: 10, Wait: 10 * time.Minute}, Price: "instance",
			Adopt: adoptedBySearch().owned().named(),
		},
		{
			Token: KeyPair, Label: "key pair",
			Reads: Reads{Named: []string{"ec2:DescribeKeyPairs"}},
			Permissions: Permissions{
				Create: []string{"ec2:ImportKeyPair", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeKeyPairs"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteKeyPair"},
			},
			Find: importedAs("{keyName}"), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: Adoption{By: AdoptByRecord, Match: []string{"keyName"}, Note: "AWS is not called: an import would lose the public key; one with another public key is refused"},
		},
	}
}
