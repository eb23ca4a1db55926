package offline

import (
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ram"
)

const (
	shareToken          = "aws:ram/resourceShare:ResourceShare"
	sharedResourceToken = "aws:ram/resourceAssociation:ResourceAssociation"
	sharedWithToken     = "aws:ram/principalAssociation:PrincipalAssociation"
	tagToken            = "aws:ec2/tag:Tag"
)

func shareKinds() []*kind {
	return []*kind{
		{
			token: shareToken, args: ram.ResourceShareArgs{}, state: ram.ResourceShareState{},
			service: "RAM", noun: "Resource Share", calls: calls{update: "UpdateResourceShare"},
			named:    "name",
			computed: []string{"permissionArns"},
			defaults: props{"allowExternalPrincipals": false},
			fixed:    props{"permissionArns": []any{}},
			forms:    map[string]form{"permissionArns": asSet},
			replaces: []string{"permissionArns"},
			missing:  answer{"UnknownResourceException", "ResourceShare %s could not be found."},
			make: func(c *call) error {
				c.rec.ID = c.arn("ram", "resource-share/"+newUID())
				c.rec.State["arn"] = c.rec.ID
				return nil
			},
		},
		{
			token: sharedResourceToken, args: ram.ResourceAssociationArgs{}, state: ram.ResourceAssociationState{},
			service: "RAM", noun: "Resource Association",
			calls:    calls{"AssociateResourceShare", "AssociateResourceShare", "DisassociateResourceShare"},
			replaces: []string{"resourceArn", "resourceShareArn"},
			refs:     []ref{{"resourceShareArn", shareToken, "", part}},
			missing:  answer{"UnknownResourceException", "There is no association %s"},
			rules:    []rule{sharedExists},
			make: func(c *call) error {
				c.rec.ID = c.in().text("resourceShareArn") + "," + c.in().text("resourceArn")
				return nil
			},
		},
		{
			token: sharedWithToken, args: ram.PrincipalAssociationArgs{}, state: ram.PrincipalAssociationState{},
			service: "RAM", noun: "Principal Association",
			calls:    calls{"AssociateResourceShare", "AssociateResourceShare", "DisassociateResourceShare"},
			replaces: []string{"principal", "resourceShareArn"},
			refs:     []ref{{"resourceShareArn", shareToken, "", part}},
			missing:  answer{"UnknownResourceException", "There is no association %s"},
			rules:    []rule{principalIsAnother},
			make: func(c *call) error {
				c.rec.ID = c.in().text("resourceShareArn") + "," + c.in().text("principal")
				return nil
			},
		},
		{
			token: tagToken, args: ec2.TagArgs{}, state: ec2.TagState{},
			service: "EC2", noun: "Tag", calls: calls{"CreateTags", "CreateTags", "DeleteTags"},
			replaces: []string{"key", "resourceId"},
			missing:  answer{"InvalidID", "There is no tag %s"},
			rules:    []rule{taggedIsSeen},
			make: func(c *call) error {
				c.rec.ID = c.in().text("resourceId") + "," + c.in().text("key")
				return nil
			},
		},
	}
}

// sharedExists: what is shared is there. The account shares its subnets and nothing else.
// https://docs.aws.amazon.com/ram/latest/APIReference/API_AssociateResourceShare.html
func sharedExists(c *call) error {
	for _, subnet := range c.all(subnetToken) {
		if subnet.State.text("arn") == c.in().text("resourceArn") {
			return nil
		}
	}
	return refuse("UnknownResourceException", "Resource %s could not be found.", c.in().text("resourceArn"))
}

var accountGrammar = regexp.MustCompile(`^\d{12}$`)

// principalIsAnother: a share is for other accounts, or for an organization or a part of one.
// https://docs.aws.amazon.com/ram/latest/APIReference/API_AssociateResourceShare.html
func principalIsAnother(c *call) error {
	principal := c.in().text("principal")
	if principal == c.account || !accountGrammar.MatchString(principal) && !strings.Contains(principal, ":organizations::") {
		return refuse("InvalidParameterException", "Principal ID %s is malformed or not supported. Verify the ID and try again.", principal)
	}
	return nil
}

// taggedIsSeen: an account tags what it has and what is shared with it. The tags that it sets are its own: the owner
// does not see them.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing-service-behavior.html
func taggedIsSeen(c *call) error {
	id := c.in().text("resourceId")
	for of, group := range c.store.records {
		if of.scope == c.region && group[id] != nil {
			return nil
		}
	}
	if !strings.HasPrefix(id, "subnet-") {
		return refuse("InvalidID", "The ID '%s' is not valid", id)
	}
	shared, err := c.sharedFromAbroad(id)
	if err == nil && !shared {
		err = c.types.kinds[subnetToken].missing.about(id)
	}
	return err
}

// sharedFromAbroad says whether another account shares a subnet with this one.
func (c *call) sharedFromAbroad(subnet string) (bool, error) {
	principals, err := c.everywhere(sharedWithToken)
	if err != nil {
		return false, err
	}
	resources, err := c.everywhere(sharedResourceToken)
	if err != nil {
		return false, err
	}
	for _, given := range principals {
		for _, shared := range resources {
			if given.State.text("principal") == c.account && shared.account == given.account &&
				shared.State["resourceShareArn"] == given.State["resourceShareArn"] &&
				strings.HasSuffix(shared.State.text("resourceArn"), "/"+subnet) {
				return true, nil
			}
		}
	}
	return false, nil
}
