package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestRolesAndProfilesHaveIAMsIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, role := e.create(awstype.Role, props.Map{"name": "x-worker-role", "assumeRolePolicy": trustText})
	require.Equal(t, "x-worker-role", id)
	require.Equal(t, "arn:aws:iam::123456789012:role/x-worker-role", role["arn"])
	require.Regexp(t, `^AROA[A-Z0-9]{17}$`, role["uniqueId"])
	id, profile := e.create(awstype.InstanceProfile, props.Map{"name": "x-worker", "role": id, "path": "/x/"})
	require.Equal(t, "x-worker", id)
	require.Equal(t, "arn:aws:iam::123456789012:instance-profile/x/x-worker", profile["arn"])
	require.Regexp(t, `^AIPA[A-Z0-9]{17}$`, profile["uniqueId"])
	require.Equal(t, "x-worker-role:p", e.id(awstype.RolePolicy, props.Map{
		"name":   "p",
		"role":   "x-worker-role",
		"policy": policyText,
	}))
	id, policy := e.create(awstype.Policy, props.Map{"name": "b", "policy": policyText})
	require.Equal(t, "arn:aws:iam::123456789012:policy/b", id)
	require.Regexp(t, `^ANPA[A-Z0-9]{17}$`, policy["policyId"])
	require.Regexp(t, `^x-worker-role-[A-Z0-9]{26}$`, e.id(awstype.RolePolicyAttachment, props.Map{"role": "x-worker-role", "policyArn": id}))
}

func TestPartitionsGoIntoARNs(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	for region, arn := range map[string]string{
		"cn-north-1":    "arn:aws-cn:iam::123456789012:role/r-cn-north-1",
		"us-gov-west-1": "arn:aws-us-gov:iam::123456789012:role/r-us-gov-west-1",
	} {
		_, out := attach(t, server, props.Map{"region": region}).create(awstype.Role, props.Map{
			"name":             "r-" + region,
			"assumeRolePolicy": trustText,
		})
		require.Equal(t, arn, out["arn"])
	}
}

func TestIAMRefuses(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.role("taken")
	e.id(awstype.InstanceProfile, props.Map{"name": "taken"})
	e.id(awstype.Policy, props.Map{"name": "taken", "policy": policyText})
	e.id(awstype.OIDCProvider, props.Map{"url": issuer, "clientIdLists": props.List("openshift")})
	big := func(size int) string {
		const frame = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:b","Resource":""}]}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", size-len(frame))+`"`, 1)
	}
	e.id(awstype.RolePolicy, props.Map{"name": "half", "role": "taken", "policy": big(5240)})
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a role's name twice", awstype.Role, props.Map{
			"name":             "TAKEN",
			"assumeRolePolicy": trustText,
		}, "EntityAlreadyExists"},
		{"a profile's name twice", awstype.InstanceProfile, props.Map{"name": "taken"}, "EntityAlreadyExists"},
		{"a policy's name twice", awstype.Policy, props.Map{"name": "taken", "policy": policyText}, "EntityAlreadyExists"},
		{"an issuer twice", awstype.OIDCProvider, props.Map{
			"url":           issuer,
			"clientIdLists": props.List("x"),
		}, "EntityAlreadyExists"},
		{"a short thumbprint", awstype.OIDCProvider, props.Map{
			"url":             issuer + "2",
			"clientIdLists":   props.List("x"),
			"thumbprintLists": props.List("abc"),
		}, "InvalidInput"},
		{"a profile's role", awstype.InstanceProfile, props.Map{"name": "x", "role": "none"}, "NoSuchEntity"},
		{"a policy's role", awstype.RolePolicy, props.Map{"name": "x", "role": "none", "policy": policyText}, "NoSuchEntity"},
		{"an attachment's role", awstype.RolePolicyAttachment, props.Map{
			"role":      "none",
			"policyArn": "arn:aws:iam::aws:policy/X",
		}, "NoSuchEntity"},
		{"an attachment's policy", awstype.RolePolicyAttachment, props.Map{
			"role":      "taken",
			"policyArn": "arn:aws:iam::123456789012:policy/none",
		}, "NoSuchEntity"},
		{"a role's boundary", awstype.Role, props.Map{"name": "x", "assumeRolePolicy": trustText,
			"permissionsBoundary": "arn:aws:iam::123456789012:policy/none"}, "NoSuchEntity"},
		{"a trust policy without principal", awstype.Role, props.Map{
			"name":             "x",
			"assumeRolePolicy": policyText,
		}, "MalformedPolicyDocument"},
		{"a role policy without resource", awstype.RolePolicy, props.Map{
			"name":   "x",
			"role":   "taken",
			"policy": trustText,
		}, "MalformedPolicyDocument"},
		{"a long trust policy", awstype.Role, props.Map{"name": "x",
			"assumeRolePolicy": strings.Replace(trustText, "ec2.amazonaws.com",
				strings.Repeat("x", 2048), 1)}, "LimitExceeded"},
		{"inline policies over 10,240 in all", awstype.RolePolicy, props.Map{
			"name":   "other",
			"role":   "taken",
			"policy": big(5001),
		}, "LimitExceeded"},
		{"a managed policy over 6,144", awstype.Policy, props.Map{"name": "x", "policy": big(6145)}, "LimitExceeded"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	e.id(awstype.RolePolicy, props.Map{"name": "other", "role": "taken", "policy": big(5000)})
	e.id(awstype.Policy, props.Map{"name": "x", "policy": big(6144)})
	e.id(awstype.RolePolicyAttachment, props.Map{
		"role":      "taken",
		"policyArn": "arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess",
	})
	e.id(awstype.Role, props.Map{
		"name":                "bounded",
		"assumeRolePolicy":    trustText,
		"permissionsBoundary": "arn:aws:iam::123456789012:policy/x",
	})
}

func TestIAMNamesAreCheckedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, name := range []string{strings.Repeat("x", 65), "with space"} {
		_, failures := e.check(awstype.Role, props.Map{"name": name, "assumeRolePolicy": trustText})
		require.Len(t, failures, 1)
		require.Equal(t, "name", failures[0].GetProperty())
	}
	e.valid(awstype.Role, props.Map{"name": strings.Repeat("x", 64), "assumeRolePolicy": trustText})
	_, failures := e.check(awstype.Role, props.Map{"name": "x", "assumeRolePolicy": "{"})
	require.Len(t, failures, 1)
	require.Contains(t, failures[0].GetReason(), "invalid JSON")
	for _, url := range []string{"http://x.example.com", "x.example.com", "https://x.example.com?a=b"} {
		_, failures := e.check(awstype.OIDCProvider, props.Map{"url": url, "clientIdLists": props.List("x")})
		require.Len(t, failures, 1, url)
	}
}

func TestARoleIsDeletedAfterItsPolicies(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.role("r")
	inline := e.id(awstype.RolePolicy, props.Map{"name": "p", "role": role, "policy": policyText})
	err := e.delete(awstype.Role, role)
	refused(t, err, "DeleteConflict")
	require.ErrorContains(t, err, "must delete policies first")
	require.NoError(t, e.delete(awstype.RolePolicy, inline))

	managed := e.id(awstype.Policy, props.Map{"name": "m", "policy": policyText})
	attachment := e.id(awstype.RolePolicyAttachment, props.Map{"role": role, "policyArn": managed})
	refused(t, e.delete(awstype.Policy, managed), "DeleteConflict")
	err = e.delete(awstype.Role, role)
	refused(t, err, "DeleteConflict")
	require.ErrorContains(t, err, "must detach all policies first")
	_, out, _ := e.read(awstype.Role, role, nil)
	require.Equal(t, props.List(managed), out["managedPolicyArns"])
	require.NoError(t, e.delete(awstype.RolePolicyAttachment, attachment))
	require.NoError(t, e.delete(awstype.Role, role))
}

func TestARoleThatDetachesByForceTakesItsPoliciesAlong(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.id(awstype.Role, props.Map{"name": "r", "assumeRolePolicy": trustText, "forceDetachPolicies": true})
	inline := e.id(awstype.RolePolicy, props.Map{"name": "p", "role": role, "policy": policyText})
	require.NoError(t, e.delete(awstype.Role, role))
	found, _, _ := e.read(awstype.RolePolicy, inline, nil)
	require.Empty(t, found)
}

func TestTheProviderTakesARoleOutOfItsProfileFirst(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.role("r")
	profile := e.id(awstype.InstanceProfile, props.Map{"name": "p", "role": role})
	require.NoError(t, e.delete(awstype.Role, role))
	_, out, _ := e.read(awstype.InstanceProfile, profile, props.Map{"role": role})
	require.NotContains(t, out, "role")
}

func TestAnIssuerIsReportedWithoutItsScheme(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props.Map{"url": issuer, "clientIdLists": props.List("openshift")}
	id, out := e.create(awstype.OIDCProvider, inputs)
	require.Equal(t, strings.TrimPrefix(issuer, "https://"), out["url"])
	require.Equal(t, "arn:aws:iam::123456789012:oidc-provider/"+out.String("url"), id)
	require.Len(t, out["thumbprintLists"], 1, "AWS fetches one if none is given")
	_, _, in := e.read(awstype.OIDCProvider, id, inputs)
	require.Equal(t, issuer, in["url"], "a refresh keeps the input as it was written")

	wider := props.Map{"url": issuer, "clientIdLists": props.List("sts.amazonaws.com", "openshift")}
	require.Empty(t, e.diff(awstype.OIDCProvider, inputs, wider).GetReplaces())
	out, err := e.update(awstype.OIDCProvider, id, inputs, wider)
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(issuer, "https://"), out["url"])
}

func TestDocumentSizeLeavesOutWhitespace(t *testing.T) {
	t.Parallel()
	require.Equal(t, len(`{"a":"b"}`), iam.DocumentSize("{\n\t\"a\": \"b\"\n}"))
}
