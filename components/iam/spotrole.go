package iam

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/lookup"
)

// spotService is the service principal for spot instances, in all partitions.
const spotService = "spot.amazonaws.com"

// spotServiceLinkedRole creates AWSServiceRoleForEC2Spot, without which an account cannot run spot instances. An account has one,
// which all its clusters share: an existing one is imported unchanged, and it is never deleted or tagged.
func spotServiceLinkedRole(ctx *pulumi.Context, name string, parent pulumi.Resource) (pulumi.StringOutput, error) {
	prefix := "/aws-service-role/" + spotService + "/"
	found, err := iam.GetRoles(ctx, &iam.GetRolesArgs{PathPrefix: &prefix}, pulumi.Parent(parent))
	if err != nil {
		return pulumi.StringOutput{}, fmt.Errorf("looking up the service-linked role for spot instances: %s; "+
			"if you may not list roles, leave spotServiceLinkedRole out and create the role with `aws iam create-service-linked-role`", lookup.Cause(err))
	}
	options := []pulumi.ResourceOption{
		pulumi.Parent(parent), pulumi.RetainOnDelete(true),
		pulumi.IgnoreChanges([]string{"description", "tags"}),
	}
	if len(found.Arns) > 0 {
		options = append(options, pulumi.Import(pulumi.ID(found.Arns[0])))
	}
	role, err := iam.NewServiceLinkedRole(ctx, name, &iam.ServiceLinkedRoleArgs{
		AwsServiceName: pulumi.String(spotService),
	}, options...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return role.Arn, nil
}
