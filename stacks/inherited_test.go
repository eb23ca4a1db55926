package stacks

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func managed(key string) *clusterProgram {
	e := &clusterProgram{
		config: &config.Cluster{Management: "management"}, region: "us-east-1",
		management: config.ManagementOutputs{
			AccountID: "1", Region: "us-east-1", EtcdKeyARN: "theirs", ZoneDomain: "theirs.example.com",
			IssuerBaseURL: "https://theirs.example.com",
		},
	}
	if key != "" {
		e.config.KMSKeyARN = pulumi.String(key)
	}
	return e
}

func TestAClustersOwnKeyTakesPrecedenceOverItsManagementStacks(t *testing.T) {
	t.Parallel()
	for explicit, want := range map[string]string{"": "theirs", "own": "own", config.NoKMSKey: ""} {
		first, err := managed(explicit).first(lastUpdate{}, "1")
		require.NoError(t, err)
		require.Equal(t, inherited{want, "theirs.example.com", "https://theirs.example.com"}, first, explicit)
	}
}

func TestAnExistingClusterInheritsWhatItHad(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"a KMS key": "before", "a key of its own": ""} {
		first, err := managed("").first(lastUpdate{
			exists: true, etcdKeyARN: key, zoneDomain: "before.example.com", issuerURL: "https://before.example.com/demo-x1",
			infraID: "demo-x1",
		}, "2")
		require.NoError(t, err, "the account is not checked again")
		require.Equal(t, inherited{key, "before.example.com", "https://before.example.com"}, first, name)
	}
}

func TestANewClusterIsRefusedAKeyThatItCannotUse(t *testing.T) {
	t.Parallel()
	elsewhere := managed("")
	elsewhere.region = "us-west-2"
	_, err := elsewhere.first(lastUpdate{}, "1")
	require.Equal(t, config.ManagementPath, fault.In(err)[0].Path)
	_, err = managed("").first(lastUpdate{}, "2")
	require.Equal(t, config.ManagementPath, fault.In(err)[0].Path)
}

func TestTheKeyOfTheLastUpdateIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		last      lastUpdate
		key       pulumi.StringInput
		isRefused bool
	}{
		"a new cluster":       {lastUpdate{}, pulumi.String("key"), false},
		"the same key":        {lastUpdate{exists: true, etcdKeyARN: "key"}, pulumi.String("key"), false},
		"no key as before":    {lastUpdate{exists: true}, nil, false},
		"another key":         {lastUpdate{exists: true, etcdKeyARN: "key"}, pulumi.String("other"), true},
		"an added key":        {lastUpdate{exists: true}, pulumi.String("key"), true},
		"a removed key":       {lastUpdate{exists: true, etcdKeyARN: "key"}, nil, true},
		"an unknown resource": {lastUpdate{exists: true, etcdKeyARN: "key"}, pulumi.String("other").ToStringOutput(), false},
	} {
		e := managed("")
		e.kmsKeyARN = test.key
		err := e.keepKey(test.last)
		if !test.isRefused {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, config.ClusterKey+".kmsKeyARN", fault.In(err)[0].Path, name)
	}
}
