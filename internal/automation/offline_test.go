package automation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/project"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestAnOfflineEngineCannotReachARealAccountOrState(t *testing.T) {
	t.Parallel()
	environ := offlineEnviron(engine.Environ{
		"HOME=/home/ann", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_SESSION_TOKEN=c", "AWS_PROFILE=d",
		"AWS_WEB_IDENTITY_TOKEN_FILE=e", "AWS_CONFIG_FILE=f", "AWS_REGION=us-east-1", "PULUMI_ACCESS_TOKEN=g",
		"PULUMI_CONFIG_PASSPHRASE=mine", "PULUMI_CONFIG_PASSPHRASE_FILE=/h", "PULUMI_HOME=/home/ann/.pulumi",
	}, "/p/.hypershift-aws/offline")
	assert.ElementsMatch(t, []string{
		"HOME=/home/ann", "AWS_REGION=us-east-1", "PULUMI_CONFIG_PASSPHRASE=offline",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true", "PULUMI_HOME=/p/.hypershift-aws/offline/home",
	}, environ)
}

func TestTheOfflineStackFileHasNoSecretsAndKeepsItsProvider(t *testing.T) {
	t.Parallel()
	file := `secretsprovider: awskms://alias/real
encryptedkey: cipher
environment: [shared]
config:
  aws:region: us-east-1
  hypershift-aws:cluster:
    name: demo
    nested:
      - token: {secure: cipher}
`
	first, err := project.OfflineStackFile([]byte(file), nil)
	require.NoError(t, err)
	assert.YAMLEq(t, `config: {"aws:region": us-east-1, "hypershift-aws:cluster": {name: demo, nested: [{token: offline}]}}
secretsprovider: hashivault://offline`, string(first))

	second, err := project.OfflineStackFile([]byte(file), append(first, "encryptedkey: key\n"...))
	require.NoError(t, err)
	assert.Contains(t, string(second), "secretsprovider: hashivault://offline\nencryptedkey: key")

	old, err := project.OfflineStackFile([]byte(file), []byte("encryptionsalt: v1:salt\n"))
	require.NoError(t, err)
	assert.Contains(t, string(old), "encryptionsalt: v1:salt")
	assert.NotContains(t, string(old), "hashivault")

	for _, text := range []string{"", "- list", "a: b: c"} {
		_, err := project.OfflineStackFile([]byte(text), nil)
		assert.Error(t, err, text)
	}
}

func TestEverythingThatAConfigCanReferToCanBeSeeded(t *testing.T) {
	t.Parallel()
	for _, kind := range []config.ExistingKind{
		config.ExistingPublicZone, config.ExistingKMSKey, config.ExistingOIDCProvider,
		config.ExistingRole, config.ExistingInstanceProfile, config.ExistingPolicy,
		config.ExistingVPC, config.ExistingPrivateSubnet, config.ExistingPublicSubnet, config.ExistingSecurityGroup,
		config.ExistingElasticIP, config.ExistingPrivateZone, config.ExistingEndpointService,
	} {
		seed, err := seedOf(config.Existing{Kind: kind, Name: "it"})
		require.NoError(t, err, kind)
		assert.Equal(t, "it", seed.Name)
		assert.NotEmpty(t, seed.Kind)
	}
}
