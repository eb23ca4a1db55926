package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

func TestIAMIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, role := e.create(types.Role, props.Map{"name": "x-worker-role", "assumeRolePolicy": trustText})
	require.Equal(t, "x-worker-role", id)
	require.Equal(t, "arn:aws:iam::123456789012:role/x-worker-role", role["arn"])
	require.Regexp(t, `^AROA[A-Z0-9]{17}$`, role["uniqueId"])
	id, profile := e.create(types.InstanceProfile, props.Map{"name": "x-worker", "role": id, "path": "/x/"})
	require.Equal(t, "x-worker", id)
	require.Equal(t, "arn:aws:iam::123456789012:instance-profile/x/x-worker", profile["arn"])
	require.Regexp(t, `^AIPA[A-Z0-9]{17}$`, profile["uniqueId"])
	require.Equal(t, "x-worker-role:p", e.id(types.RolePolicy, props.Map{"name": "p", "role": "x-worker-role", "policy": policyText}))
	id, policy := e.create(types.Policy, props.Map{"name": "b", "policy": policyText})
	require.Equal(t, "arn:aws:iam::123456789012:policy/b", id)
	require.Regexp(t, `^ANPA[A-Z0-9]{17}$`, policy["policyId"])
	require.Regexp(t, `^x-worker-role-[A-Z0-9]{26}$`, e.id(types.RolePolicyAttachment, props.Map{"role": "x-worker-role", "policyArn": id}))
}

func TestPartitionsGoIntoARNs(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	for region, arn := range map[string]string{
		"cn-north-1":    "arn:aws-cn:iam::123456789012:role/r-cn-north-1",
		"us-gov-west-1": "arn:aws-us-gov:iam::123456789012:role/r-us-gov-west-1",
	} {
		_, out := attach(t, server, props.Map{"region": region}).create(types.Role, props.Map{"name": "r-" + region, "assumeRolePolicy": trustText})
		require.Equal(t, arn, out["arn"])
	}
}

func TestIAMRefuses(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.role("taken")
	e.id(types.InstanceProfile, props.Map{"name": "taken"})
	e.id(types.Policy, props.Map{"name": "taken", "policy": policyText})
	e.id(types.OIDCProvider, props.Map{"url": issuer, "clientIdLists": props.List("openshift")})
	big := func(size int) string {
		const frame = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:b","Resource":""}]}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", size-len(frame))+`"`, 1)
	}
	e.id(types.RolePolicy, props.Map{"name": "half", "role": "taken", "policy": big(5240)})
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a role's name twice", types.Role, props.Map{"name": "TAKEN", "assumeRolePolicy": trustText}, "EntityAlreadyExists"},
		{"a profile's name twice", types.InstanceProfile, props.Map{"name": "taken"}, "EntityAlreadyExists"},
		{"a policy's name twice", types.Policy, props.Map{"name": "taken", "policy": policyText}, "EntityAlreadyExists"},
		{"an issuer twice", types.OIDCProvider, props.Map{"url": issuer, "clientIdLists": props.List("x")}, "EntityAlreadyExists"},
		{"a short thumbprint", types.OIDCProvider, props.Map{"url": issuer + "2", "clientIdLists": props.List("x"), "thumbprintLists": props.List("abc")}, "InvalidInput"},
		{"a profile's role", types.InstanceProfile, props.Map{"name": "x", "role": "none"}, "NoSuchEntity"},
		{"a policy's role", types.RolePolicy, props.Map{"name": "x", "role": "none", "policy": policyText}, "NoSuchEntity"},
		{"an attachment's role", types.RolePolicyAttachment, props.Map{"role": "none", "policyArn": "arn:aws:iam::aws:policy/X"}, "NoSuchEntity"},
		{"an attachment's policy", types.RolePolicyAttachment, props.Map{"role": "taken", "policyArn": "arn:aws:iam::123456789012:policy/none"}, "NoSuchEntity"},
		{"a role's boundary", types.Role, props.Map{"name": "x", "assumeRolePolicy": trustText,
			"permissionsBoundary": "arn:aws:iam::123456789012:policy/none"}, "NoSuchEntity"},
		{"a trust policy without principal", types.Role, props.Map{"name": "x", "assumeRolePolicy": policyText}, "MalformedPolicyDocument"},
		{"a role policy without resource", types.RolePolicy, props.Map{"name": "x", "role": "taken", "policy": trustText}, "MalformedPolicyDocument"},
		{"a long trust policy", types.Role, props.Map{"name": "x", "assumeRolePolicy": strings.Replace(trustText, "ec2.amazonaws.com",
			strings.Repeat("x", 2048), 1)}, "LimitExceeded"},
		{"inline policies over 10,240 in all", types.RolePolicy, props.Map{"name": "other", "role": "taken", "policy": big(5001)}, "LimitExceeded"},
		{"a managed policy over 6,144", types.Policy, props.Map{"name": "x", "policy": big(6145)}, "LimitExceeded"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	e.id(types.RolePolicy, props.Map{"name": "other", "role": "taken", "policy": big(5000)})
	e.id(types.Policy, props.Map{"name": "x", "policy": big(6144)})
	e.id(types.RolePolicyAttachment, props.Map{"role": "taken", "policyArn": "arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess"})
	e.id(types.Role, props.Map{"name": "bounded", "assumeRolePolicy": trustText, "permissionsBoundary": "arn:aws:iam::123456789012:policy/x"})
}

func TestIAMNamesAreCheckedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, name := range []string{strings.Repeat("x", 65), "with space"} {
		_, failures := e.check(types.Role, props.Map{"name": name, "assumeRolePolicy": trustText})
		require.Len(t, failures, 1)
		require.Equal(t, "name", failures[0].GetProperty())
	}
	e.valid(types.Role, props.Map{"name": strings.Repeat("x", 64), "assumeRolePolicy": trustText})
	_, failures := e.check(types.Role, props.Map{"name": "x", "assumeRolePolicy": "{"})
	require.Len(t, failures, 1)
	require.Contains(t, failures[0].GetReason(), "invalid JSON")
	for _, url := range []string{"http://x.example.com", "x.example.com", "https://x.example.com?a=b"} {
		_, failures := e.check(types.OIDCProvider, props.Map{"url": url, "clientIdLists": props.List("x")})
		require.Len(t, failures, 1, url)
	}
}

func TestARoleGoesAfterItsPolicies(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.role("r")
	inline := e.id(types.RolePolicy, props.Map{"name": "p", "role": role, "policy": policyText})
	err := e.delete(types.Role, role)
	refused(t, err, "DeleteConflict")
	require.ErrorContains(t, err, "must delete policies first")
	require.NoError(t, e.delete(types.RolePolicy, inline))

	managed := e.id(types.Policy, props.Map{"name": "m", "policy": policyText})
	attachment := e.id(types.RolePolicyAttachment, props.Map{"role": role, "policyArn": managed})
	refused(t, e.delete(types.Policy, managed), "DeleteConflict")
	err = e.delete(types.Role, role)
	refused(t, err, "DeleteConflict")
	require.ErrorContains(t, err, "must detach all policies first")
	_, out, _ := e.read(types.Role, role, nil)
	require.Equal(t, props.List(managed), out["managedPolicyArns"])
	require.NoError(t, e.delete(types.RolePolicyAttachment, attachment))
	require.NoError(t, e.delete(types.Role, role))
}

func TestARoleThatDetachesByForceTakesItsPoliciesAlong(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.id(types.Role, props.Map{"name": "r", "assumeRolePolicy": trustText, "forceDetachPolicies": true})
	inline := e.id(types.RolePolicy, props.Map{"name": "p", "role": role, "policy": policyText})
	require.NoError(t, e.delete(types.Role, role))
	found, _, _ := e.read(types.RolePolicy, inline, nil)
	require.Empty(t, found)
}

func TestTheProviderTakesARoleOutOfItsProfileFirst(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.role("r")
	profile := e.id(types.InstanceProfile, props.Map{"name": "p", "role": role})
	require.NoError(t, e.delete(types.Role, role))
	_, out, _ := e.read(types.InstanceProfile, profile, props.Map{"role": role})
	require.NotContains(t, out, "role")
}

func TestAnIssuerIsReportedWithoutItsScheme(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props.Map{"url": issuer, "clientIdLists": props.List("openshift")}
	id, out := e.create(types.OIDCProvider, inputs)
	require.Equal(t, strings.TrimPrefix(issuer, "https://"), out["url"])
	require.Equal(t, "arn:aws:iam::123456789012:oidc-provider/"+out.String("url"), id)
	require.Len(t, out["thumbprintLists"], 1, "AWS fetches one if none is given")
	_, _, in := e.read(types.OIDCProvider, id, inputs)
	require.Equal(t, issuer, in["url"], "a refresh keeps the input as it was written")

	wider := props.Map{"url": issuer, "clientIdLists": props.List("sts.amazonaws.com", "openshift")}
	require.Empty(t, e.diff(types.OIDCProvider, inputs, wider).GetReplaces())
	out, err := e.update(types.OIDCProvider, id, inputs, wider)
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(issuer, "https://"), out["url"])
}
