package inmemory

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestAnOfflineEngineCannotReachARealAccountOrState(t *testing.T) {
	t.Parallel()
	environ := Environ(engine.Environ{
		"HOME=/home/user", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_SESSION_TOKEN=c", "AWS_PROFILE=d",
		"AWS_WEB_IDENTITY_TOKEN_FILE=e", "AWS_CONFIG_FILE=f", "AWS_REGION=us-east-1", "PULUMI_ACCESS_TOKEN=g",
		"PULUMI_CONFIG_PASSPHRASE=mine", "PULUMI_CONFIG_PASSPHRASE_FILE=/h", "PULUMI_HOME=/home/user/.pulumi",
	}, "/p/.hypershift-aws/offline")
	assert.ElementsMatch(t, []string{
		"HOME=/home/user", "AWS_REGION=us-east-1", "PULUMI_CONFIG_PASSPHRASE=offline",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true", "PULUMI_HOME=/p/.hypershift-aws/offline/home",
	}, environ)
}

func TestEverythingThatAConfigCanReferToCanBeSeeded(t *testing.T) {
	t.Parallel()
	for kind, want := range map[config.ExistingKind]offline.SeedKind{
		config.ExistingPublicZone: offline.SeedPublicZone, config.ExistingKMSKey: offline.SeedKMSKey,
		config.ExistingBucket:       offline.SeedBucket,
		config.ExistingOIDCProvider: offline.SeedOIDCProvider, config.ExistingRole: offline.SeedRole,
		config.ExistingInstanceProfile: offline.SeedInstanceProfile, config.ExistingPolicy: offline.SeedPolicy,
		config.ExistingLoadBalancer: offline.SeedLoadBalancer, config.ExistingVPC: offline.SeedVPC,
		config.ExistingPrivateSubnet: offline.SeedPrivateSubnet, config.ExistingPublicSubnet: offline.SeedPublicSubnet,
		config.ExistingSecurityGroup: offline.SeedSecurityGroup, config.ExistingElasticIP: offline.SeedElasticIP,
		config.ExistingKeyPair: offline.SeedKeyPair, config.ExistingImage: offline.SeedImage,
		config.ExistingPrivateZone: offline.SeedPrivateZone, config.ExistingEndpointService: offline.SeedEndpointService,
	} {
		seed := seedOf(config.Existing{
			Kind:         kind,
			Name:         "it",
			VPC:          "vpc",
			Zone:         "zone",
			Domain:       "domain",
			Document:     "document",
			Tags:         map[string]string{"a": "b"},
			InstanceType: "type",
		})
		assert.Equal(t, offline.Seed{Kind: want, Name: "it", VPC: "vpc", Zone: "zone", Domain: "domain", Document: "document",
			Tags: map[string]string{"a": "b"}, InstanceType: "type"}, seed)
	}
}
