package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

const managementFile = "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: management\n  hypershift-aws:management: {oidcBucket: {name: acme-oidc}, operator: {identity: InstanceRole, instanceRoleARN: \"arn:aws:iam::123456789012:role/nodes\"}}\n"

func TestAWaiverIsReadWithItsReason(t *testing.T) {
	t.Parallel()
	file, err := load(t, managementFile+"  hypershift-aws:policyWaivers:\n    - {rule: open-ingress, resource: a, reason: a trial}\n    - {rule: missing-tags, reason: later}\n")
	require.NoError(t, err)
	assert.Equal(t, []forecast.PolicyWaiver{{
		Rule:     "open-ingress",
		Resource: "a",
		Reason:   "a trial",
	}, {Rule: "missing-tags", Reason: "later"}}, file.PolicyWaivers)
}

func TestAWaiverWithoutAReasonIsRefused(t *testing.T) {
	t.Parallel()
	_, err := load(t, managementFile+"  hypershift-aws:policyWaivers:\n    - {rule: open-ingress}\n    - {reasons: x}\n")
	for _, part := range []string{"hypershift-aws:policyWaivers[0].reason is missing",
		"hypershift-aws:policyWaivers[1].rule is missing", "policyWaivers[1].reasons is not a key"} {
		assert.ErrorContains(t, err, part)
	}
}

func TestPoliciesAreMandatoryByAKeyOfTheFile(t *testing.T) {
	t.Parallel()
	file, err := load(t, managementFile+"  hypershift-aws:policy: mandatory\n")
	require.NoError(t, err)
	assert.Equal(t, PolicyMandatory, file.Policy)
	_, err = load(t, managementFile+"  hypershift-aws:policy: strict\n")
	assert.ErrorContains(t, err, `hypershift-aws:policy: "strict" is not a way to enforce policies; use warn or mandatory`)
}
