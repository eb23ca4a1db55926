package workspace

import (
	"errors"
	"testing"

	"github.com/blang/semver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

func stackForErrors(t *testing.T) *Stack {
	interrupts := engine.WatchInterrupts()
	t.Cleanup(interrupts.Close)
	return &Stack{
		Name: "dev", Backend: engine.Backend{URL: "s3://states"},
		Session: &Session{
			Interrupts: interrupts,
			Engine:     &engine.Engine{Path: "/usr/bin/pulumi", Version: semver.MustParse("3.250.0")},
		},
	}
}

func TestEngineErrorsBecomeAProblemAndARemedy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stderr  string
		reason  failure.Reason
		problem string
		remedy  string
	}{
		"locked": {
			"error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the lock file with `pulumi cancel`.\n" +
				"  file:///s/.pulumi/locks/organization/p/dev/1.json: created by operator@build-7 (pid 4242) at 2026-11-21T05:15:36Z",
			failure.Conflict, "stack dev is locked by operator@build-7, process 4242, since 2026-11-21T05:15:36Z", "hypershift-aws cancel -s dev",
		},
		"no such stack": {
			"error: no stack named 'dev' found", failure.Failed,
			"stack dev has no state in s3://states: it has never been deployed there", "hypershift-aws up -s dev",
		},
		"wrong passphrase": {
			"error: getting stack configuration: get stack secrets manager: incorrect passphrase",
			failure.Refused, "the passphrase differs from the one with which stack dev was created", "PULUMI_CONFIG_PASSPHRASE",
		},
		"wrong passphrase, after the state is gone": {
			"error: getting stack configuration: get stack secrets manager: incorrect passphrase",
			failure.Refused, "the passphrase differs", "take the line encryptionsalt and all secrets out of Pulumi.dev.yaml",
		},
		"credentials for a bucket": {
			`error: read ".pulumi/meta.yaml": blob (code=Unknown): operation error S3: GetObject, AccessDenied`,
			failure.Failed, "the backend s3://states cannot be used", "aws:profile and the other aws: keys of a stack's file are for its resources alone",
		},
		"no passphrase": {
			"error: could not create secrets manager for new stack: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables",
			failure.Refused, "stack dev encrypts its secrets with a passphrase, and none is set",
			"PULUMI_CONFIG_PASSPHRASE_FILE",
		},
		"newer state": {
			"error: the stack 'dev' is newer than what this version of the Pulumi CLI understands. Please update your version of the Pulumi CLI",
			failure.Refused, "the state of stack dev was written by a newer engine than /usr/bin/pulumi (v3.250.0)", "on PATH",
		},
		"no bucket": {
			`error: read ".pulumi/meta.yaml": blob (key ".pulumi/meta.yaml") (code=Unknown): operation error S3: GetObject, NoSuchBucket`,
			failure.Failed, `the backend s3://states cannot be used: read ".pulumi/meta.yaml"`, "--backend",
		},
		"not logged in": {
			"error: PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions", failure.Failed, "the backend s3://states cannot be used", "credentials",
		},
		"anything else": {
			"warning: something\nerror: the moon is full\nmore", failure.Failed, "the moon is full", "",
		},
		"nothing": {"", failure.Failed, "the engine failed without an error message", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cause := &engine.Error{Stderr: test.stderr, Err: errors.New("exit status 255")}
			var got *failure.Error
			require.ErrorAs(t, stackForErrors(t).Classify(cause), &got)
			assert.Equal(t, test.reason, got.Reason)
			assert.Contains(t, got.Problem, test.problem)
			assert.Contains(t, got.Remedy, test.remedy)
			assert.ErrorIs(t, got, cause)
		})
	}
}

func TestTheEnginesMessageIsFoundInTheAutomationAPIsError(t *testing.T) {
	t.Parallel()
	err := errors.New("failed to run update: exit status 255\ncode: 255\nstdout: error: not this\nstderr: error: incorrect passphrase")
	assert.Equal(t, failure.Refused, failure.ReasonOf(stackForErrors(t).Classify(err)))
}

// The engine takes a URL with an unknown scheme for one of Pulumi Cloud, and asks for its token.
func TestAURLWithAnotherSchemeIsNoBackend(t *testing.T) {
	t.Parallel()
	stack := stackForErrors(t)
	stack.Backend.URL = "s4://states"
	var got *failure.Error
	require.ErrorAs(t, stack.Classify(&engine.Error{Stderr: "error: PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions", Err: errors.New("exit status 255")}), &got)
	assert.Equal(t, "s4://states is not the URL of a backend", got.Problem)
	assert.Contains(t, got.Remedy, "s3://")
	stack.Backend.URL = "gs:/states"
	require.ErrorAs(t, stack.Classify(&engine.Error{Stderr: "error: missing google credentials", Err: errors.New("exit status 255")}), &got)
	assert.Equal(t, "gs:/states is not the URL of a backend", got.Problem)
}
