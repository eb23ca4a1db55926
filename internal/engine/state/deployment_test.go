package state

import (
	"encoding/json"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"
)

func TestTheKeysOfAStatesEncryptionAreThoseOfItsSecretsProvider(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]map[string]string{
		`{"type": "passphrase", "state": {"salt": "v1:a"}}`:                                 {"encryptionsalt": "v1:a"},
		`{"type": "cloud", "state": {"url": "awskms://alias/a", "encryptedkey": "k"}}`:      {"secretsprovider": "awskms://alias/a", "encryptedkey": "k"},
		`{"type": "service", "state": {"url": "https://api.example.com", "owner": "acme"}}`: nil,
		`null`: nil,
	} {
		read, err := ParseExport([]byte(`{"version": 3, "deployment": {"secrets_providers": ` + provider + `, "resources": []}}`))
		require.NoError(t, err)
		require.Equal(t, want, read.SecretsSettings(), provider)
	}
}

func TestACheckpointIsReadAndWrittenWithFieldsThatThisProgramDoesNotKnow(t *testing.T) {
	t.Parallel()
	resource := `{"urn":"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::a","custom":true,"type":"aws:ec2/vpc:Vpc","inputs":{"n":12345678901234567890},"newer":{"b":1,"a":2}}`
	text := `{"version":4,"features":["x"],"checkpoint":{"stack":"s","latest":{"manifest":{},"resources":[` + resource + `],"unknown":1}},"more":{}}`
	read, err := ParseCheckpoint([]byte(text))
	require.NoError(t, err)
	require.Len(t, read.Resources, 1)
	require.True(t, read.Resources[0].Custom)
	require.NoError(t, read.Resources[0].Set("protect", true))
	require.True(t, read.Resources[0].Protect)
	written, err := read.Encode()
	require.NoError(t, err)
	require.Equal(t, []string{"x"}, written.Features)
	require.Equal(t, 4, written.Version)
	changed := `{"manifest":{},"resources":[{"custom":true,"inputs":{"n":12345678901234567890},"newer":{"b":1,"a":2},"protect":true,"type":"aws:ec2/vpc:Vpc",` +
		`"urn":"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::a"}],"unknown":1}`
	require.Equal(t, changed, string(written.Deployment))
}

func TestACheckpointIsReadWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	whole := `{"version":3,"checkpoint":{"latest":{"manifest":{},"resources":[{"urn":"a"}],"pending_operations":[]}}}`
	for length := range whole {
		_, err := ParseCheckpoint([]byte(whole[:length]))
		require.ErrorIs(t, err, errNoJSON, whole[:length])
	}
	for resources, want := range map[string]int{`[{"urn":"a"},{"urn":"b"}]`: 2, `[]`: 0, `null`: 0, `{"urn":"a"}`: -1, `"a"`: -1, `["a"]`: -1} {
		read, err := ParseExport([]byte(`{"version":3,"deployment":{"resources":` + resources + `}}`))
		if want < 0 {
			require.Error(t, err, resources)
			continue
		}
		require.NoError(t, err, resources)
		require.Len(t, read.Resources, want, resources)
	}
	created, err := ParseCheckpoint([]byte(`{"version":0,"checkpoint":{"stack":"s"}}`))
	require.NoError(t, err)
	require.Empty(t, created.Resources)
	for _, text := range []string{
		`{"version":5,"checkpoint":{}}`, `{"version":"3","checkpoint":{}}`, `{"version":3}`, `{"version":0,"checkpoint":{"latest":{"manifest":{}}}}`, `{}`,
	} {
		read, err := ParseCheckpoint([]byte(text))
		require.NoError(t, err, text)
		require.Nil(t, read, text)
	}
}

func TestAResourceThatNoStateHadIsWrittenFromItsFields(t *testing.T) {
	t.Parallel()
	r := &Resource{ResourceV3: apitype.ResourceV3{URN: "urn:pulumi:s::p::t::vpc", Type: "t", ID: "vpc-1"}}
	require.NoError(t, r.Set("id", "vpc-2"))
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var read Resource
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, apitype.ResourceV3{URN: r.URN, Type: "t", ID: "vpc-2"}, read.ResourceV3)
}
