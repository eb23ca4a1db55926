package offline

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

func TestRolesAreFoundByNameAndListedByPath(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.id(awstype.Role, props.Map{"name": "plain", "assumeRolePolicy": trustText})
	e.id(awstype.Role, props.Map{"name": "deep", "path": "/team/", "assumeRolePolicy": trustText})
	e.id(awstype.ServiceLinkedRole, props.Map{"awsServiceName": "spot.amazonaws.com"})

	role, err := e.invoke("aws:iam/getRole:getRole", props.Map{"name": "deep"})
	require.NoError(t, err)
	require.Equal(t, "arn:aws:iam::123456789012:role/team/deep", role["arn"])
	require.Equal(t, trustText, role["assumeRolePolicy"])
	_, err = e.invoke("aws:iam/getRole:getRole", props.Map{"name": "none"})
	require.ErrorContains(t, err, "NoSuchEntity: The role with name none cannot be found.")

	for prefix, names := range map[string][]string{
		"/":                                     {"deep", "plain", "AWSServiceRoleForEC2Spot"},
		"/team/":                                {"deep"},
		"/aws-service-role/spot.amazonaws.com/": {"AWSServiceRoleForEC2Spot"},
		"/none/":                                {},
	} {
		roles, err := e.invoke("aws:iam/getRoles:getRoles", props.Map{"pathPrefix": prefix})
		require.NoError(t, err)
		require.ElementsMatch(t, names, roles.Strings("names"), prefix)
	}
}

func TestAnInstanceProfileIsFoundWithItsRole(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.id(awstype.InstanceProfile, props.Map{"name": "nodes", "role": e.role("nodes-role")})
	e.id(awstype.InstanceProfile, props.Map{"name": "empty"})
	profile, err := e.invoke("aws:iam/getInstanceProfile:getInstanceProfile", props.Map{"name": "nodes"})
	require.NoError(t, err)
	require.Equal(t, "nodes-role", profile["roleName"])
	require.Equal(t, "arn:aws:iam::123456789012:role/nodes-role", profile["roleArn"])
	profile, err = e.invoke("aws:iam/getInstanceProfile:getInstanceProfile", props.Map{"name": "empty"})
	require.NoError(t, err)
	require.Empty(t, profile["roleName"])
	_, err = e.invoke("aws:iam/getInstanceProfile:getInstanceProfile", props.Map{"name": "none"})
	require.ErrorContains(t, err, "NoSuchEntity")
}

func TestAPolicyIsFoundInTheAccountOrAmongAWSsPoliciesOfItsPartition(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	e, china := attach(t, server, props.Map{"region": "us-east-1"}), attach(t, server, props.Map{"region": "cn-north-1"})
	own := e.id(awstype.Policy, props.Map{"name": "own", "policy": policyText})
	for _, arn := range []string{own, "arn:aws:iam::aws:policy/service-role/ROSAKubeControllerPolicy"} {
		policy, err := e.invoke("aws:iam/getPolicy:getPolicy", props.Map{"arn": arn})
		require.NoError(t, err)
		require.Equal(t, arn, policy["arn"])
	}
	role := china.role("r")
	for _, arn := range []string{
		"arn:aws-cn:iam::aws:policy/service-role/ROSAKubeControllerPolicy",
		"arn:aws:iam::aws:policy/ReadOnlyAccess", "arn:aws-cn:iam::123456789012:policy/none",
	} {
		_, err := china.invoke("aws:iam/getPolicy:getPolicy", props.Map{"arn": arn})
		require.ErrorContains(t, err, "NoSuchEntity", arn)
		_, _, err = china.try(awstype.RolePolicyAttachment, props.Map{"role": role, "policyArn": arn}, false)
		refused(t, err, "NoSuchEntity")
	}
	_, err := china.invoke("aws:iam/getPolicy:getPolicy", props.Map{"arn": "arn:aws-cn:iam::aws:policy/ReadOnlyAccess"})
	require.NoError(t, err)
}

func TestAnAccountHasAServicesRoleOnce(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, out := e.create(awstype.ServiceLinkedRole, props.Map{"awsServiceName": "spot.amazonaws.com"})
	require.Equal(t, "arn:aws:iam::123456789012:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot", id)
	require.Equal(t, "AWSServiceRoleForEC2Spot", out["name"])
	_, _, err := e.try(awstype.ServiceLinkedRole, props.Map{"awsServiceName": "spot.amazonaws.com"}, false)
	refused(t, err, "InvalidInput")
	_, failures := e.check(awstype.ServiceLinkedRole, props.Map{"awsServiceName": "spot"})
	require.Len(t, failures, 1)

	_, _, imported := e.read(awstype.ServiceLinkedRole, id, nil)
	diff := e.diff(awstype.ServiceLinkedRole, imported, props.Map{"awsServiceName": "spot.amazonaws.com"}, "tagsAll")
	require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, diff.GetChanges(), "one that is there can be taken over")
}

func TestARoleHasTenManagedPoliciesAtMost(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.role("r")
	for i := range 10 {
		e.id(awstype.RolePolicyAttachment, props.Map{
			"role":      role,
			"policyArn": "arn:aws:iam::aws:policy/P" + string(rune('0'+i)),
		})
	}
	_, _, err := e.try(awstype.RolePolicyAttachment, props.Map{
		"role":      role,
		"policyArn": "arn:aws:iam::aws:policy/X",
	}, false)
	refused(t, err, "LimitExceeded")
}

func TestSeedsOfIAMAreThereBeforeAnyStack(t *testing.T) {
	t.Parallel()
	const policy, roleARN = "arn:aws:iam::123456789012:policy/team/boundary", "arn:aws:iam::123456789012:role/team/ingress"
	e := attach(t, serve(t, Options{Seeds: []seed.Seed{
		{Kind: seed.Role, Name: roleARN, Document: trustText},
		{Kind: seed.InstanceProfile, Name: "nodes"},
		{Kind: seed.Policy, Name: policy},
	}}), props.Map{"region": "us-east-1"})
	role, err := e.invoke("aws:iam/getRole:getRole", props.Map{"name": "ingress"})
	require.NoError(t, err)
	require.Equal(t, roleARN, role["arn"])
	require.Equal(t, trustText, role["assumeRolePolicy"])
	profile, err := e.invoke("aws:iam/getInstanceProfile:getInstanceProfile", props.Map{"name": "nodes"})
	require.NoError(t, err)
	require.Equal(t, "nodes", profile["roleName"])
	e.id(awstype.Role, props.Map{"name": "x", "assumeRolePolicy": trustText, "permissionsBoundary": policy})
}
