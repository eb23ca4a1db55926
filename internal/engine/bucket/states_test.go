package bucket

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob/memblob"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// checkpoint returns a state with a number of subnets.
func checkpoint(subnets int) []byte {
	var resources []string
	for i := range subnets {
		resources = append(resources, fmt.Sprintf(`{"urn": "urn:pulumi:s::p::aws:ec2/subnet:Subnet::s%d", "custom": true, "type": "aws:ec2/subnet:Subnet", "id": "subnet-%[1]d",
			"inputs": {"cidrBlock": "10.0.%[1]d.0/24", "tags": {"Name": "s%[1]d", "team": "platform"}}, "outputs": {"arn": "arn:aws:ec2:us-east-1:123456789012:subnet/subnet-%[1]d",
			"availabilityZone": "us-east-1a", "cidrBlock": "10.0.%[1]d.0/24", "tagsAll": {"Name": "s%[1]d", "team": "platform"}, "vpcId": "vpc-0123456789abcdef0"},
			"parent": "urn:pulumi:s::p::pulumi:pulumi:Stack::p-s", "provider": "urn:pulumi:s::p::pulumi:providers:aws::default::id"}`, i))
	}
	return []byte(`{"version": 3, "checkpoint": {"latest": {"manifest": {"time": "2026-08-01T12:00:00Z"}, "resources": [` + strings.Join(resources, ",") + `]}}}`)
}

func writeState(t testing.TB, folder, key string, text []byte) {
	t.Helper()
	path := filepath.Join(folder, statesPrefix, key)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// read returns the states of a folder, in alphabetical order.
func read(ctx context.Context, t testing.TB, folder string) []state.OfStack {
	t.Helper()
	var all []state.OfStack
	require.NoError(t, EachState(ctx, engine.Backend{URL: engine.FileURL(folder)}, "own", nil, func(one state.OfStack) {
		all = append(all, one)
	}))
	slices.SortFunc(all, func(a, b state.OfStack) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Stack, b.Stack))
	})
	return all
}

func TestTheStatesOfAllProjectsAreReadAndOneThatIsDamagedIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.Empty(t, read(t.Context(), t, folder), "a backend without a state")
	writeState(t, folder, "own/dev.json", checkpoint(2))
	writeState(t, folder, "own/dev.json.bak", []byte("{"))
	writeState(t, folder, "infra/net.json", checkpoint(1)[:40])
	writeState(t, folder, "infra/new.json", []byte(`{"version": 9, "checkpoint": {}}`))
	writeState(t, folder, "infra/odd.json", bytes.Replace(checkpoint(1), []byte(`"version": 3`), []byte(`"version": 0`), 1))
	writeState(t, folder, "own/created.json", []byte(`{"version":0,"checkpoint":{"stack":"organization/own/created"}}`)) // by the engine, not yet updated
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	_, err := writer.Write(checkpoint(3))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	writeState(t, folder, "own/packed.json.gz", zipped.Bytes())
	packer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	writeState(t, folder, "own/packed2.json.zst", packer.EncodeAll(checkpoint(3), nil))

	all := read(t.Context(), t, folder)
	var names []string
	for _, one := range all {
		names = append(names, one.Project+"/"+one.Stack)
	}
	require.Equal(t, []string{"infra/net", "infra/new", "infra/odd", "own/created", "own/dev", "own/packed",
		"own/packed2"}, names)
	for _, unread := range all[:3] {
		require.Error(t, unread.Err, unread.Stack)
	}
	require.NoError(t, all[3].Err)
	require.Empty(t, all[3].Deployment.Resources)
	require.Len(t, all[4].Deployment.Resources, 2)
	require.Len(t, all[5].Deployment.Resources, 3)
	require.Len(t, all[6].Deployment.Resources, 3)
}

func TestAFileThatMayBeAStateIsUnreadAndNeverSkipped(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, copied := range []string{"dev.json.bak", "dev.json.gz.bak", "dev.json.zst.bak", "dev.json.attrs",
		"dev.json.zst.bak.attrs", "dev.json.17c3.tmp", ".DS_Store"} {
		writeState(t, folder, "own/"+copied, []byte("{"))
	}
	writeState(t, folder, ".gitignore", nil)
	require.Empty(t, read(t.Context(), t, folder), "the engine's copies are no states")
	for _, unknown := range []string{"dev.json.lz4", "dev.json.zst.enc", "dev.JSON", "dev", "dev.json2",
		"dev.json.gz.zst.xz"} {
		writeState(t, folder, "theirs/"+unknown, checkpoint(1))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, statesPrefix, "theirs", "deeper"), 0o700))
	all := read(t.Context(), t, folder)
	require.Len(t, all, 7)
	for _, one := range all {
		require.Error(t, one.Err, one.Stack)
	}
}

func TestAProjectWhoseStatesCannotBeListedIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	writeState(t, folder, "own/dev.json", checkpoint(1))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(folder, statesPrefix, "theirs")))
	all := read(t.Context(), t, folder)
	require.Equal(t, []string{"own/dev", "theirs/*"},
		[]string{all[0].Project + "/" + all[0].Stack, all[1].Project + "/" + all[1].Stack})
	require.Error(t, all[1].Err)

	unlisted := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(unlisted, ".pulumi"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(unlisted, statesPrefix), nil, 0o600))
	all = read(t.Context(), t, unlisted)
	require.Equal(t, "*/*", all[0].Project+"/"+all[0].Stack)
	require.Error(t, all[0].Err)
}

func TestTheStatesInABucketAreReadWithoutTheEnginesCopies(t *testing.T) {
	t.Parallel()
	opened := memblob.OpenBucket(nil)
	for _, key := range []string{"own/dev.json", "own/dev.json.bak", "infra/net.json.gz"} {
		require.NoError(t, opened.WriteAll(t.Context(), statesPrefix+key, checkpoint(1), nil))
	}
	keys, unlisted, err := bucketStates{opened}.list(t.Context(), "own")
	require.NoError(t, err)
	require.Empty(t, unlisted)
	require.Equal(t, []string{statesPrefix + "infra/net.json.gz", statesPrefix + "own/dev.json"}, keys)
	one, exists := readKey(t.Context(), bucketStates{opened}, keys[1], nil)
	require.True(t, exists)
	require.Len(t, one.Deployment.Resources, 1)
	_, exists = readKey(t.Context(), bucketStates{opened}, statesPrefix+"own/removed.json", nil)
	require.False(t, exists)
}

func TestAStateThatIsNotReadInTimeIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	writeState(t, folder, "own/dev.json", checkpoint(1))
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	all := read(ctx, t, folder)
	require.Len(t, all, 1)
	require.ErrorIs(t, all[0].Err, context.DeadlineExceeded)
}

func TestStatesWithoutAFolderPerProjectAreLeftToTheEngine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	writeState(t, folder, "dev.json", checkpoint(1))
	require.ErrorIs(t, EachState(t.Context(), engine.Backend{URL: engine.FileURL(folder)}, "own", nil, func(state.OfStack) {}),
		ErrNoBucket)
	require.ErrorIs(t, EachState(t.Context(), engine.Backend{URL: "https://api.pulumi.com"}, "own", nil,
		func(state.OfStack) {}), ErrNoBucket)
}

// BenchmarkAThousandStates reads 1,000 states with 60 resources each.
func BenchmarkAThousandStates(b *testing.B) {
	folder, text := b.TempDir(), checkpoint(60)
	for i := range 1000 {
		writeState(b, folder, fmt.Sprintf("project%d/stack%d.json", i%20, i), text)
	}
	for b.Loop() {
		require.Len(b, read(b.Context(), b, folder), 1000)
	}
}
