package iam

import (
	"errors"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

// boundaryOf answers the lookup of a permissions boundary with a document, "" for one that may not be read.
type boundaryOf string

func (boundaryOf) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return args.Name, args.Inputs, nil
}

func (b boundaryOf) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	if args.Token != "aws:iam/getPolicy:getPolicy" || b == "" {
		return nil, errors.New("AccessDenied")
	}
	return resource.PropertyMap{"policy": resource.NewProperty(string(b))}, nil
}

func TestAnExistingRolesBoundaryIsComparedByTheProgram(t *testing.T) {
	t.Parallel()
	needs := []Need{{
		Action: "ec2:RunInstances",
		Vital:  true,
	}, {Action: "ec2:DescribeImages"}, {Action: "ec2:CopyVolumes", Vital: true, Since: "4.23"}}
	allow := func(action string) boundaryOf {
		return boundaryOf(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"` + action + `","Resource":"*"}]}`)
	}
	for name, c := range map[string]struct {
		boundary boundaryOf
		refused  bool
	}{
		"everything":                                 {allow("*"), false},
		"all but what a later release needs":         {allow("ec2:*s"), false},
		"not what nodes need":                        {allow("ec2:Describe*"), true},
		"not what the cluster does not depend on":    {allow("ec2:Run*"), false},
		"nothing of the service":                     {allow("s3:*"), true},
		"a boundary that the caller may not read":    {"", false},
		"a boundary of AWS, whose text is not known": {"{}", false},
	} {
		err := pulumi.RunErr(func(ctx *pulumi.Context) error {
			return checkBoundary(ctx, "arn:aws:iam::111111111111:role/given", "arn:aws:iam::111111111111:policy/limit",
				"machines cannot be started", needs, pulumi.Parent(nil))
		}, pulumi.WithMocks("project", "stack", c.boundary))
		require.Equal(t, c.refused, err != nil, "%s: %v", name, err)
		if c.refused {
			require.ErrorContains(t, err, "which does not allow ec2:RunInstances; without it machines cannot be started")
		}
	}
}
