package project

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheAWSKeysOfAStackAreThoseOfItsFileOverThoseOfTheProject(t *testing.T) {
	t.Parallel()
	p := project(t, map[string]string{
		"Pulumi.yaml":     "name: p\nruntime: go\nconfig:\n  aws:region:\n    value: us-east-1\n  aws:profile:\n    value: corp\n",
		"Pulumi.a.yaml":   "config:\n  aws:region: us-west-2\n  aws:assumeRole: {roleArn: arn}\n  other:key: x\n",
		"Pulumi.b.yaml":   "config:\n  aws:assumeRole: {externalId: {secure: v1:xyz}}\n",
		"Pulumi.esc.yaml": "environment: [prod]\nconfig: {}\n",
	})
	a, err := p.AWSConfig("a")
	require.NoError(t, err)
	require.Equal(t, AWSConfig{
		Values: map[string]any{"region": "us-west-2", "profile": "corp", "assumeRole": map[string]any{"roleArn": "arn"}},
	}, a)
	b, err := p.AWSConfig("b")
	require.NoError(t, err)
	require.True(t, b.Secret)
	esc, err := p.AWSConfig("esc")
	require.NoError(t, err)
	require.True(t, esc.Environment)
	none, err := p.AWSConfig("none")
	require.NoError(t, err)
	require.Equal(t, map[string]any{"region": "us-east-1", "profile": "corp"}, none.Values)
}

func TestOnlyTheEngineReadsSecretsAndEnvironments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		want map[string]string
	}{
		"each form": {"config:\n  aws:region: us-east-1\n  aws:maxRetries: 3\n  aws:insecure: true\n  aws:assumeRole: {roleArn: arn, externalId: x}\n" +
			"  aws:allowedAccountIds: ['123456789012']\n  other:key: x\n",
			map[string]string{"region": "us-east-1", "maxRetries": "3", "insecure": "true", "assumeRole": `{"externalId":"x","roleArn":"arn"}`,
				"allowedAccountIds": `["123456789012"]`}},
		"no keys":            {"config: {}\n", map[string]string{}},
		"a secret":           {"config:\n  aws:region: us-east-1\n  aws:secretKey: {secure: v1:xyz}\n", nil},
		"a secret in a role": {"config:\n  aws:assumeRole: {externalId: {secure: v1:xyz}}\n", nil},
		"an environment":     {"environment: [prod]\nconfig:\n  aws:region: us-east-1\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own, err := project(t, map[string]string{"Pulumi.a.yaml": c.file}).AWSConfig("a")
			require.NoError(t, err)
			texts, known := own.Texts()
			require.Equal(t, c.want != nil, known)
			require.Equal(t, c.want, texts)
		})
	}
}
