package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIAMIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, role := e.create(roleToken, props{"name": "x-worker-role", "assumeRolePolicy": trustText})
	require.Equal(t, "x-worker-role", id)
	require.Equal(t, "arn:aws:iam::123456789012:role/x-worker-role", role["arn"])
	require.Regexp(t, `^AROA[A-Z0-9]{17}$`, role["uniqueId"])
	id, profile := e.create(profileToken, props{"name": "x-worker", "role": id, "path": "/x/"})
	require.Equal(t, "x-worker", id)
	require.Equal(t, "arn:aws:iam::123456789012:instance-profile/x/x-worker", profile["arn"])
	require.Regexp(t, `^AIPA[A-Z0-9]{17}$`, profile["uniqueId"])
	require.Equal(t, "x-worker-role:p", e.id(rolePolicyToken, props{"name": "p", "role": "x-worker-role", "policy": policyText}))
	id, policy := e.create(policyToken, props{"name": "b", "policy": policyText})
	require.Equal(t, "arn:aws:iam::123456789012:policy/b", id)
	require.Regexp(t, `^ANPA[A-Z0-9]{17}$`, policy["policyId"])
	require.Regexp(t, `^x-worker-role-[A-Z0-9]{26}$`, e.id(attachmentToken, props{"role": "x-worker-role", "policyArn": id}))
}

func TestPartitionsGoIntoARNs(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	for region, arn := range map[string]string{
		"cn-north-1":    "arn:aws-cn:iam::123456789012:role/r-cn-north-1",
		"us-gov-west-1": "arn:aws-us-gov:iam::123456789012:role/r-us-gov-west-1",
	} {
		_, out := attach(t, server, props{"region": region}).create(roleToken, props{"name": "r-" + region, "assumeRolePolicy": trustText})
		require.Equal(t, arn, out["arn"])
	}
}

func TestIAMRefuses(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.role("taken")
	e.id(profileToken, props{"name": "taken"})
	e.id(policyToken, props{"name": "taken", "policy": policyText})
	e.id(oidcToken, props{"url": issuer, "clientIdLists": list("openshift")})
	big := func(size int) string {
		const frame = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:b","Resource":""}]}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", size-len(frame))+`"`, 1)
	}
	e.id(rolePolicyToken, props{"name": "half", "role": "taken", "policy": big(5240)})
	for _, c := range []struct {
		name, token string
		inputs      props
		code        string
	}{
		{"a role's name twice", roleToken, props{"name": "TAKEN", "assumeRolePolicy": trustText}, "EntityAlreadyExists"},
		{"a profile's name twice", profileToken, props{"name": "taken"}, "EntityAlreadyExists"},
		{"a policy's name twice", policyToken, props{"name": "taken", "policy": policyText}, "EntityAlreadyExists"},
		{"an issuer twice", oidcToken, props{"url": issuer, "clientIdLists": list("x")}, "EntityAlreadyExists"},
		{"a short thumbprint", oidcToken, props{"url": issuer + "2", "clientIdLists": list("x"), "thumbprintLists": list("abc")}, "InvalidInput"},
		{"a profile's role", profileToken, props{"name": "x", "role": "none"}, "NoSuchEntity"},
		{"a policy's role", rolePolicyToken, props{"name": "x", "role": "none", "policy": policyText}, "NoSuchEntity"},
		{"an attachment's role", attachmentToken, props{"role": "none", "policyArn": "arn:aws:iam::aws:policy/X"}, "NoSuchEntity"},
		{"an attachment's policy", attachmentToken, props{"role": "taken", "policyArn": "arn:aws:iam::123456789012:policy/none"}, "NoSuchEntity"},
		{"a role's boundary", roleToken, props{"name": "x", "assumeRolePolicy": trustText,
			"permissionsBoundary": "arn:aws:iam::123456789012:policy/none"}, "NoSuchEntity"},
		{"a trust policy without principal", roleToken, props{"name": "x", "assumeRolePolicy": policyText}, "MalformedPolicyDocument"},
		{"a role policy without resource", rolePolicyToken, props{"name": "x", "role": "taken", "policy": trustText}, "MalformedPolicyDocument"},
		{"a long trust policy", roleToken, props{"name": "x", "assumeRolePolicy": strings.Replace(trustText, "ec2.amazonaws.com",
			strings.Repeat("x", 2048), 1)}, "LimitExceeded"},
		{"inline policies over 10,240 in all", rolePolicyToken, props{"name": "other", "role": "taken", "policy": big(5001)}, "LimitExceeded"},
		{"a managed policy over 6,144", policyToken, props{"name": "x", "policy": big(6145)}, "LimitExceeded"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	e.id(rolePolicyToken, props{"name": "other", "role": "taken", "policy": big(5000)})
	e.id(policyToken, props{"name": "x", "policy": big(6144)})
	e.id(attachmentToken, props{"role": "taken", "policyArn": "arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess"})
	e.id(roleToken, props{"name": "bounded", "assumeRolePolicy": trustText, "permissionsBoundary": "arn:aws:iam::123456789012:policy/x"})
}

func TestIAMNamesAreCheckedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, name := range []string{strings.Repeat("x", 65), "with space"} {
		_, failures := e.check(roleToken, props{"name": name, "assumeRolePolicy": trustText})
		require.Len(t, failures, 1)
		require.Equal(t, "name", failures[0].GetProperty())
	}
	e.valid(roleToken, props{"name": strings.Repeat("x", 64), "assumeRolePolicy": trustText})
	_, failures := e.check(roleToken, props{"name": "x", "assumeRolePolicy": "{"})
	require.Len(t, failures, 1)
	require.Contains(t, failures[0].GetReason(), "invalid JSON")
	for _, url := range []string{"http://x.example.com", "x.example.com", "https://x.example.com?a=b"} {
		_, failures := e.check(oidcToken, props{"url": url, "clientIdLists": list("x")})
		require.Len(t, failures, 1, url)
	}
}

func TestARoleGoesAfterItsPolicies(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.role("r")
	inline := e.id(rolePolicyToken, props{"name": "p", "role": role, "policy": policyText})
	err := e.delete(roleToken, role)
	refused(t, err, "DeleteConflict")
	require.ErrorContains(t, err, "must delete policies first")
	require.NoError(t, e.delete(rolePolicyToken, inline))

	managed := e.id(policyToken, props{"name": "m", "policy": policyText})
	attachment := e.id(attachmentToken, props{"role": role, "policyArn": managed})
	refused(t, e.delete(policyToken, managed), "DeleteConflict")
	err = e.delete(roleToken, role)
	refused(t, err, "DeleteConflict")
	require.ErrorContains(t, err, "must detach all policies first")
	_, out, _ := e.read(roleToken, role, nil)
	require.Equal(t, list(managed), out["managedPolicyArns"])
	require.NoError(t, e.delete(attachmentToken, attachment))
	require.NoError(t, e.delete(roleToken, role))
}

func TestARoleThatDetachesByForceTakesItsPoliciesAlong(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.id(roleToken, props{"name": "r", "assumeRolePolicy": trustText, "forceDetachPolicies": true})
	inline := e.id(rolePolicyToken, props{"name": "p", "role": role, "policy": policyText})
	require.NoError(t, e.delete(roleToken, role))
	found, _, _ := e.read(rolePolicyToken, inline, nil)
	require.Empty(t, found)
}

func TestTheProviderTakesARoleOutOfItsProfileFirst(t *testing.T) {
	t.Parallel()
	e := start(t)
	role := e.role("r")
	profile := e.id(profileToken, props{"name": "p", "role": role})
	require.NoError(t, e.delete(roleToken, role))
	_, out, _ := e.read(profileToken, profile, props{"role": role})
	require.NotContains(t, out, "role")
}

func TestAnIssuerIsReportedWithoutItsScheme(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props{"url": issuer, "clientIdLists": list("openshift")}
	id, out := e.create(oidcToken, inputs)
	require.Equal(t, strings.TrimPrefix(issuer, "https://"), out["url"])
	require.Equal(t, "arn:aws:iam::123456789012:oidc-provider/"+out.text("url"), id)
	require.Len(t, out["thumbprintLists"], 1, "AWS fetches one if none is given")
	_, _, in := e.read(oidcToken, id, inputs)
	require.Equal(t, issuer, in["url"], "a refresh keeps the input as it was written")

	wider := props{"url": issuer, "clientIdLists": list("sts.amazonaws.com", "openshift")}
	require.Empty(t, e.diff(oidcToken, inputs, wider).GetReplaces())
	out, err := e.update(oidcToken, id, inputs, wider)
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(issuer, "https://"), out["url"])
}
