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
	require.Equal(t, AWSConfig{Values: map[string]any{"region": "us-west-2", "profile": "corp", "assumeRole": map[string]any{"roleArn": "arn"}}}, a)
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
