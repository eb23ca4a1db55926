package savedplan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

const vpc = "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::vpc"

func enginePlan(steps, inputs string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"resourcePlans":{"%s":{"steps":%s,"goal":{"type":"aws:ec2/vpc:Vpc","custom":true,"inputDiff":{"adds":%s}},"seed":"eA=="}}}`, vpc,
		steps, inputs))
}

func TestAPlanIsRefusedWithWhatDiffers(t *testing.T) {
	t.Parallel()
	secret := func(cipher string) string {
		return `{"key":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","ciphertext":"` + cipher + `"}}`
	}
	gone := changes.Difference{Name: "vpc", Type: "aws:ec2/vpc:Vpc", ID: "vpc-1", Gone: true}
	for name, test := range map[string]struct {
		before, now File
		want        string
	}{
		"nothing differs":       {before: File{Engine: enginePlan(`["create"]`, `{"a":1}`)}, now: File{Engine: enginePlan(`["create"]`, `{"a":1}`)}},
		"another secret's text": {before: File{Engine: enginePlan(`["create"]`, secret("x"))}, now: File{Engine: enginePlan(`["create"]`, secret("y"))}},
		"another step":          {File{Engine: enginePlan(`["same"]`, `{}`)}, File{Engine: enginePlan(`["update"]`, `{}`)}, "VPC vpc was planned to leave unchanged; now: update"},
		"another input": {File{Engine: enginePlan(`["create"]`, `{"cidrBlock":"a"}`)}, File{Engine: enginePlan(`["create"]`, `{"cidrBlock":"b"}`)},
			"VPC vpc would have other inputs than planned"},
		"one more": {File{Engine: json.RawMessage(`{}`)}, File{Engine: enginePlan(`["create"]`, `{}`)}, "VPC vpc is not in the plan; now: create"},
		"one less": {File{Engine: enginePlan(`["create"]`, `{}`)}, File{Engine: json.RawMessage(`{}`)}, "VPC vpc was planned (create); now it is not in the program"},
		"drift since": {File{Engine: json.RawMessage(`{}`)}, File{Engine: json.RawMessage(`{}`), Drift: []changes.Difference{gone}},
			"VPC vpc (vpc-1) was deleted, since the plan was created"},
		"no drift now":   {File{Engine: json.RawMessage(`{}`), Drift: []changes.Difference{gone}}, File{Engine: json.RawMessage(`{}`)}, "but no longer does"},
		"the same drift": {File{Engine: json.RawMessage(`{}`), Drift: []changes.Difference{gone}}, File{Engine: json.RawMessage(`{}`), Drift: []changes.Difference{gone}}, ""},
	} {
		err := test.before.CheckAgainst(&test.now)
		if test.want == "" {
			assert.NoError(t, err, name)
			continue
		}
		assert.ErrorContains(t, err, test.want, name)
		assert.Equal(t, failure.ChangesFound, failure.ReasonOf(err), name)
	}
}

func TestDigestsDetectEachChangedValueAndIgnoreComments(t *testing.T) {
	t.Parallel()
	digests := func(text string) Digests {
		d, err := ReadDigests("Pulumi.dev.yaml", []byte(text))
		require.NoError(t, err)
		return d
	}
	before := digests("config:\n  a:b: {x: 1, y: [p, q]}\n")
	assert.Empty(t, before.differences(digests("# other\nconfig: {a:b: {y: [p, q], x: 1}}\n")))
	assert.Equal(t, []string{"a:b.x was changed in the config", "a:b.y[1] was removed from the config",
		"a:b.y[] was changed in the config",
		"secretsprovider was added to the config"},
		before.differences(digests("config:\n  a:b: {x: \"1\", y: [p]}\nsecretsprovider: passphrase\n")))
}

func TestASavedPlanIsReadAsItWasWrittenAndByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, Write(path, &File{Stack: "dev", Project: "p", Engine: json.RawMessage(`{"a":1}`)}))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	read, err := Read(path)
	require.NoError(t, err)
	assert.JSONEq(t, `{"a":1}`, string(read.Engine))
	assert.ErrorContains(t, read.CheckFor(&File{Stack: "other", Project: "p"}),
		"it was created for stack dev of project p")
	assert.ErrorContains(t, read.CheckFor(&File{
		Stack:   "dev",
		Project: "p",
		Offline: true,
	}), "it was made without --offline")
	assert.NoError(t, read.CheckFor(&File{Stack: "dev", Project: "p"}))
	_, err = Read(path + "x")
	assert.Equal(t, failure.Refused, failure.ReasonOf(err))
}

func TestAPlanIsRefusedIfASecretsContentOrTheVersionDiffers(t *testing.T) {
	t.Parallel()
	salt := NewSalt()
	plan := func(secret string) *File {
		return &File{
			Version: "v0.2.0",
			Salt:    salt,
			Secrets: SecretDigests(salt, map[string]string{"cluster.hostedCluster.pullSecret": secret}),
		}
	}
	require.NoError(t, plan("a").CheckFor(plan("a")))
	err := plan("a").CheckFor(plan("b"))
	require.Equal(t, failure.ChangesFound, failure.ReasonOf(err))
	require.ErrorContains(t, err, "cluster.hostedCluster.pullSecret")

	older := plan("a")
	older.Version = "v0.0.1"
	err = older.CheckFor(plan("a"))
	require.Equal(t, failure.ChangesFound, failure.ReasonOf(err))
	require.ErrorContains(t, err, "v0.0.1")

	require.NotEqual(t, SecretDigests(salt, map[string]string{"p": "a"}),
		SecretDigests(NewSalt(), map[string]string{"p": "a"}), "plans do not show that secrets are equal")
}
