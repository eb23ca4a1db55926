package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func open(t *testing.T, inMemory bool, variables ...string) workspace.Environment {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: test\nruntime: hypershift-aws\n"),
		0o600))
	p, err := project.Open(dir)
	require.NoError(t, err)
	environ := append(engine.Environ{"AWS_PROFILE=production"}, variables...)
	var other func(environment.Options) (workspace.Environment, error)
	if inMemory {
		other = sandbox.InMemory
	}
	opened, err := environment.Open(other, environment.Options{Project: p, Environ: environ, Backend: "s3://states"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return opened
}

func TestAnEnvironmentInMemoryUsesNeitherTheUsersStatesNorCredentials(t *testing.T) {
	t.Parallel()
	real, memory := open(t, false), open(t, true)
	require.Equal(t, "s3://states", real.Backend().URL)
	require.Equal(t, "s3://states", real.Environ().Get("PULUMI_BACKEND_URL"))
	require.Equal(t, "production", real.Environ().Get("AWS_PROFILE"))
	require.Equal(t, filepath.Join(memory.Folder(), "state"), memory.Backend().Folder())
	require.Equal(t, memory.Backend().URL, memory.Environ().Get("PULUMI_BACKEND_URL"))
	require.Empty(t, memory.Environ().Get("AWS_PROFILE"))

	refused := errors.New("not encrypted for this user")
	reveal := func() (map[string]any, error) { return nil, refused }
	providers := func() ([]config.ProviderSettings, error) { return nil, refused }
	for opened, want := range map[workspace.Environment]error{real: refused, memory: nil} {
		require.ErrorIs(t, opened.CheckCredentials(t.Context(), providers), want)
		accounts, err := opened.Accounts(nil, func(report.Event) {})
		require.NoError(t, err)
		_, err = accounts.Open(map[string]any{"region": "us-east-1"}, reveal)
		require.ErrorIs(t, err, want)
		require.NoError(t, accounts.Close())
	}
}

// The credentials of the file are encrypted; the engine gives its providers their text, which selects the account.
func TestEncryptedCredentialsSelectTheSameAccountInMemory(t *testing.T) {
	t.Parallel()
	accounts, err := open(t, true).Accounts(nil, func(report.Event) {})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, accounts.Close()) })
	plain := map[string]any{"region": "us-east-1", "accessKey": "AKIAEXAMPLE"}
	accountOf := func(settings map[string]any) string {
		opened, err := accounts.Open(settings, func() (map[string]any, error) { return plain, nil })
		require.NoError(t, err)
		who, err := opened.Identity(t.Context())
		require.NoError(t, err)
		return who.Account
	}
	require.Equal(t, accountOf(plain), accountOf(map[string]any{
		"region":    "us-east-1",
		"accessKey": map[string]any{"secure": "v1:x"},
	}))
	require.NotEqual(t, accountOf(plain), accountOf(map[string]any{"region": "us-east-1"}))
}

func TestTheAccountsOfAnAttachedProviderAreUnknown(t *testing.T) {
	t.Parallel()
	attached := open(t, false, "PULUMI_DEBUG_PROVIDERS=kubernetes:1,aws:2")
	require.False(t, attached.KnowsAccounts())
	require.NoError(t, attached.CheckCredentials(t.Context(), nil), "its credentials are not checked")
	require.True(t, open(t, false, "PULUMI_DEBUG_PROVIDERS=kubernetes:1").KnowsAccounts())
	require.True(t, open(t, true, "PULUMI_DEBUG_PROVIDERS=aws:2").KnowsAccounts(), "an offline run attaches its own")
}

func TestAnAccountInMemoryHasTheRegionOfItsProviderOrOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		settings map[string]any
		variable string
		want     string
	}{
		{map[string]any{"region": "eu-west-1"}, "AWS_REGION=eu-central-1", "eu-west-1"},
		{map[string]any{}, "AWS_REGION=eu-central-1", "eu-central-1"},
		{map[string]any{}, "AWS_DEFAULT_REGION=eu-north-1", "eu-north-1"},
		{map[string]any{}, "HOME=/", "us-east-1"},
	} {
		accounts, err := open(t, true, test.variable).Accounts(nil, func(report.Event) {})
		require.NoError(t, err)
		account, err := accounts.Open(test.settings, nil)
		require.NoError(t, err)
		place, err := account.Place(t.Context())
		require.NoError(t, err)
		require.Equal(t, test.want, place.Region)
		require.NoError(t, accounts.Close())
	}
}

func TestAWaitForAWSIsAThousandTimesShorterInMemory(t *testing.T) {
	t.Parallel()
	for opened, want := range map[workspace.Environment]time.Duration{
		open(t, false): time.Minute,
		open(t, true):  60 * time.Millisecond,
	} {
		timing := opened.Timing()
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			require.NoError(t, timing.Wait(t.Context(), time.Minute))
			require.Equal(t, want, time.Since(began))
		})
	}
}
