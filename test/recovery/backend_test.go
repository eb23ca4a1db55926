package recovery

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/cloudstate"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// newCloudFleet returns the fleet's CLI with its states in a bucket. The resources are in an account in memory that the
// engine is attached to.
func newCloudFleet(t *testing.T) (*cloudstate.Bucket, *harness.CLI) {
	t.Helper()
	cloud := cloudstate.NewBucket(t)
	c := harness.NewFleet(t)
	var seeds []offline.Seed
	for _, stack := range harness.FleetStacks() {
		path := filepath.Join(c.Dir, config.FileName(stack))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append([]byte("secretsprovider: "+cloud.SecretsProvider+"\n"), text...), 0o600))
		file, err := stacks.LoadFile(c.Dir, stack)
		require.NoError(t, err)
		seeds = append(seeds, stackfile.SeedsIn(file)...)
	}
	account, err := offline.Serve(offline.Options{Dir: c.OfflineDir(), Seeds: seeds})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	return cloud, c.With(append(cloud.Env, "PULUMI_DEBUG_PROVIDERS="+account.Providers())...)
}

func TestStatesInS3WithSecretsUnderAKMSKeyThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud, c := newCloudFleet(t)
	c.Run("fleet", "up", "--yes", "--select", "management", "--select", "east")
	state := cloud.Object(".pulumi/stacks/hypershift-aws/east.json")
	require.Contains(t, state, cloud.SecretsProvider)
	list := c.Run("stacks")
	require.Regexp(t, `(?m)^east .*\d+`, list)
	require.Equal(t, "east-x1", strings.TrimSpace(c.Run("-s", "east", "outputs", "infraID")))
	c.Run("fleet", "preview", "--expect-no-changes", "--select", "east")
	c.Run("fleet", "drift", "--select", "east", "--select", "management")
	_, stderr, code := c.Exit("-s", "management", "destroy", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack management is used by east")

	// Another machine has locked a stack.
	cloud.Write(".pulumi/locks/organization/hypershift-aws/east/x.json",
		[]byte(`{"pid": 1, "username": "u", "hostname": "elsewhere", "timestamp": "2026-01-02T03:04:05Z"}`))
	stdout, stderr, code := c.Exit("fleet", "up", "--yes", "--select", "east", "--lock-wait", "0")
	require.Equal(t, 4, code, stderr)
	require.Regexp(t, `east +locked .*stack east is locked by u@elsewhere, process 1`, stdout)
	c.Run("-s", "east", "cancel", "--yes")
	c.Run("fleet", "destroy", "--yes", "--remove", "--select", "east")
	require.NotRegexp(t, `(?m)^east .*\d\d\d\d-`, c.Run("stacks"))

	// The backend becomes unavailable.
	cloud.Door.Close()
	stdout, stderr, code = c.Exit("fleet", "up", "--yes", "--parallel", "1", "--select", "management", "--select", "west")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stdout+stderr, "the backend "+cloud.Backend+" cannot be used")
	require.Regexp(t, `west +not started`, stdout)
}

// TestABackendThatBecomesUnavailableLosesNothingThroughAWSsAPI has S3 go away while a stack's state is written for the
// fourth time.
func TestABackendThatBecomesUnavailableLosesNothingThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud, c := newCloudFleet(t)
	c.Run("fleet", "up", "--yes", "--select", "management")
	written := 0
	cloud.CloseAt(func(r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/stacks/hypershift-aws/east.json") {
			written++
		}
		return written > 3
	})
	once := c.With(harness.StateAfterEachStep, "AWS_MAX_ATTEMPTS=1") // S3 stays away
	stdout, stderr, code := once.Exit("fleet", "up", "--yes", "--parallel", "1", "--select", "east", "--select", "west")
	require.Equal(t, 1, code, stderr)
	require.Regexp(t, `east +failed `, stdout)
	require.Regexp(t, `west +not started .*the backend cannot be used`, stdout)

	// Back again, with the lock that could not be released.
	cloud.CloseAt(nil)
	c.Run("-s", "east", "cancel", "--yes")
	stdout, stderr, code = c.Exit("fleet", "up", "--yes", "--resume")
	require.Zero(t, code, "%s%s", stdout, stderr)
	if sizes.All() {
		c.Run("fleet", "preview", "--expect-no-changes")
	}
	states := map[string][]apitype.ResourceV3{}
	for _, stack := range harness.FleetStacks() {
		states[stack] = harness.Settled(t, []byte(cloud.Object(".pulumi/stacks/hypershift-aws/"+stack+".json")))
	}
	c.RequireFleetTrue(states)
}
