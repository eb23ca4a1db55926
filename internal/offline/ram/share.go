// Package ram declares the resource types of RAM, and of tags on shared resources, for the offline account.
package ram

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ram"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Kinds returns the resource types of RAM.
func Kinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.ResourceShare, Args: ram.ResourceShareArgs{}, State: ram.ResourceShareState{},
			Service: "RAM", Noun: "Resource Share", Calls: aws.Calls{Update: "UpdateResourceShare"},
			AutoName:  "name",
			Constants: props.Map{"permissionArns": []any{}},
			NotFound:  awserr.Template{Code: "UnknownResourceException", Text: "ResourceShare %s could not be found."},
			ID:        func(c *aws.Call) string { return c.ARN("ram", "resource-share/"+ids.UUID()) },
		},
		{
			Token: awstype.ResourceAssociation, Args: ram.ResourceAssociationArgs{}, State: ram.ResourceAssociationState{},
			Service: "RAM", Noun: "Resource Association",
			Calls: aws.Calls{
				Create: "AssociateResourceShare",
				Update: "AssociateResourceShare",
				Remove: "DisassociateResourceShare",
			},
			References: []aws.Reference{{Input: "resourceShareArn", Type: awstype.ResourceShare, Dependency: aws.DeletedWith}},
			NotFound:   awserr.Template{Code: "UnknownResourceException", Text: "There is no association %s"},
			Rules:      []aws.Rule{sharedExists},
			ID:         aws.Joined(",", "resourceShareArn", "resourceArn"),
		},
		{
			Token: awstype.PrincipalAssociation, Args: ram.PrincipalAssociationArgs{}, State: ram.PrincipalAssociationState{},
			Service: "RAM", Noun: "Principal Association",
			Calls: aws.Calls{
				Create: "AssociateResourceShare",
				Update: "AssociateResourceShare",
				Remove: "DisassociateResourceShare",
			},
			References: []aws.Reference{{Input: "resourceShareArn", Type: awstype.ResourceShare, Dependency: aws.DeletedWith}},
			NotFound:   awserr.Template{Code: "UnknownResourceException", Text: "There is no association %s"},
			Rules:      []aws.Rule{principalIsAnother},
			ID:         aws.Joined(",", "resourceShareArn", "principal"),
		},
		{
			Token: awstype.Tag, Args: ec2.TagArgs{}, State: ec2.TagState{},
			Service: "EC2", Noun: "Tag", Calls: aws.Calls{Create: "CreateTags", Update: "CreateTags", Remove: "DeleteTags"},
			NotFound: awserr.Template{Code: "InvalidID", Text: "There is no tag %s"},
			Rules:    []aws.Rule{taggedIsVisible},
			ID:       aws.Joined(",", "resourceId", "key"),
			AfterCreate: func(c *aws.Call) error {
				if id := c.State().String("resourceId"); c.Rehearsal.IsLate(awstype.Tag, id) {
					return fmt.Errorf("reading ec2 resource (%s) tag (%s): empty result", id, c.State().String("key"))
				}
				return nil
			},
		},
	}
}

// sharedExists: the shared resource exists. An account can share its subnets and nothing else.
// https://docs.aws.amazon.com/ram/latest/APIReference/API_AssociateResourceShare.html
func sharedExists(c *aws.Call) error {
	if len(c.Where(awstype.Subnet, "arn", c.State().String("resourceArn"))) == 0 {
		return awserr.Errorf("UnknownResourceException", "Resource %s could not be found.", c.State().String("resourceArn"))
	}
	return nil
}

var accountGrammar = regexp.MustCompile(`^\d{12}$`)

// principalIsAnother: a principal is another account, an organization or an organizational unit.
// https://docs.aws.amazon.com/ram/latest/APIReference/API_AssociateResourceShare.html
func principalIsAnother(c *aws.Call) error {
	principal := c.State().String("principal")
	if principal == c.Account || !accountGrammar.MatchString(principal) && !strings.Contains(principal,
		":organizations::") {
		return awserr.Errorf("InvalidParameterException",
			"Principal ID %s is malformed or not supported. Verify the ID and try again.", principal)
	}
	return nil
}

// taggedIsVisible: an account can tag its own resources and those shared with it. The tags belong to the account: the
// owner does not see them.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing-service-behavior.html
func taggedIsVisible(c *aws.Call) error {
	id := c.State().String("resourceId")
	for key, group := range c.Store.Records {
		if key.Scope == c.Region && group[id] != nil {
			return nil
		}
	}
	if !strings.HasPrefix(id, "subnet-") {
		return awserr.Errorf("InvalidID", "The ID '%s' is not valid", id)
	}
	shared, err := sharedByOtherAccount(c, id)
	if err == nil && !shared {
		err = c.Types.Kinds[awstype.Subnet].NotFound.For(id)
	}
	return err
}

// sharedByOtherAccount reports whether another account shares a subnet with this one.
func sharedByOtherAccount(c *aws.Call, subnet string) (bool, error) {
	principals, err := c.AllAccounts(awstype.PrincipalAssociation)
	if err != nil {
		return false, err
	}
	resources, err := c.AllAccounts(awstype.ResourceAssociation)
	if err != nil {
		return false, err
	}
	for _, given := range principals {
		for _, shared := range resources {
			if given.State.String("principal") == c.Account && shared.Account == given.Account &&
				shared.State["resourceShareArn"] == given.State["resourceShareArn"] &&
				strings.HasSuffix(shared.State.String("resourceArn"), "/"+subnet) {
				return true, nil
			}
		}
	}
	return false, nil
}
