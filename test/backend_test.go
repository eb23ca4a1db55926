package test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// cloudState is a bucket for states and a key for their secrets.
type cloudState struct {
	t  *testing.T
	s3 *s3.Client
	// backend and secretsProvider are the URLs that the engine is given.
	backend, secretsProvider string
	// door is what the engine reaches S3 through. From the request for which shut first returns true the bucket does not exist; nil keeps it.
	door *httptest.Server
	shut func(*http.Request) bool
	mu   sync.Mutex
	env  []string
}

// serve passes a request on, unless the bucket does not exist: an answer that AWS's SDK does not wait a minute for, as for none.
func (c *cloudState) serve(w http.ResponseWriter, r *http.Request, inside http.Handler) {
	c.mu.Lock()
	shut := c.shut != nil && c.shut(r)
	if shut {
		c.shut = func(*http.Request) bool { return true }
	}
	c.mu.Unlock()
	if shut {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // S3 stores nothing of a request whose sender ended before the body did
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	inside.ServeHTTP(w, r)
}

// closeAt has the bucket gone from a request on; nil brings it back.
func (c *cloudState) closeAt(request func(*http.Request) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = request
}

const stateBucket = "states"

func newCloudState(t *testing.T) *cloudState {
	t.Helper()
	address := moto.Serve(t, "a state in S3 whose secrets a KMS key encrypts")
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	c := &cloudState{t: t}
	c.s3 = s3.New(s3.Options{Region: "us-east-1", BaseEndpoint: &address, UsePathStyle: true, Credentials: credentials})
	_, err := c.s3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(stateBucket)})
	require.NoError(t, err)
	keys := kms.New(kms.Options{Region: "us-east-1", BaseEndpoint: &address, Credentials: credentials})
	key, err := keys.CreateKey(t.Context(), &kms.CreateKeyInput{})
	require.NoError(t, err)
	target, err := url.Parse(address)
	require.NoError(t, err)
	inside := httputil.NewSingleHostReverseProxy(target)
	c.door = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, inside) }))
	t.Cleanup(c.door.Close)
	c.backend = "s3://" + stateBucket + "?region=us-east-1&s3ForcePathStyle=true&endpoint=" + c.door.URL
	c.secretsProvider = "awskms://" + *key.KeyMetadata.KeyId + "?region=us-east-1"
	c.env = []string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_REGION=us-east-1", "AWS_ENDPOINT_URL_KMS=" + address,
		"PULUMI_BACKEND_URL=" + c.backend, enginetest.WithoutDownloads}
	return c
}

// object returns the content of an object of the bucket.
func (c *cloudState) object(key string) string {
	c.t.Helper()
	got, err := c.s3.GetObject(c.t.Context(), &s3.GetObjectInput{Bucket: aws.String(stateBucket), Key: &key})
	require.NoError(c.t, err)
	defer func() { require.NoError(c.t, got.Body.Close()) }()
	text, err := io.ReadAll(got.Body)
	require.NoError(c.t, err)
	return string(text)
}

// write writes an object of the bucket.
func (c *cloudState) write(key string, text []byte) {
	c.t.Helper()
	_, err := c.s3.PutObject(c.t.Context(), &s3.PutObjectInput{Bucket: aws.String(stateBucket), Key: &key, Body: bytes.NewReader(text)})
	require.NoError(c.t, err)
}

// keys returns the names of the bucket's objects that begin with a prefix.
func (c *cloudState) keys(prefix string) []string {
	c.t.Helper()
	var keys []string
	for pages := s3.NewListObjectsV2Paginator(c.s3, &s3.ListObjectsV2Input{Bucket: aws.String(stateBucket), Prefix: &prefix}); pages.HasMorePages(); {
		page, err := pages.NextPage(c.t.Context())
		require.NoError(c.t, err)
		for _, object := range page.Contents {
			keys = append(keys, *object.Key)
		}
	}
	return keys
}

// newCloudFleet returns the fleet's CLI with its states in a bucket. The resources are in an account in memory that the engine is attached to.
func newCloudFleet(t *testing.T) (*cloudState, *cli) {
	t.Helper()
	cloud := newCloudState(t)
	c := newFleet(t)
	var seeds []offline.Seed
	for _, stack := range fleetStacks() {
		path := filepath.Join(c.dir, config.FileName(stack))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append([]byte("secretsprovider: "+cloud.secretsProvider+"\n"), text...), 0o600))
		file, err := stacks.LoadFile(c.dir, stack)
		require.NoError(t, err)
		seeds = append(seeds, seedsIn(file)...)
	}
	account, err := offline.Serve(offline.Options{Dir: c.offlineDir(), Seeds: seeds})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	return cloud, c.with(append(cloud.env, "PULUMI_DEBUG_PROVIDERS="+account.Providers())...)
}

func TestStatesInS3WithSecretsUnderAKMSKeyThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud, c := newCloudFleet(t)
	c.run("fleet", "up", "--yes", "--select", "management", "--select", "east")
	state := cloud.object(".pulumi/stacks/hypershift-aws/east.json")
	require.Contains(t, state, cloud.secretsProvider)
	list := c.run("stacks")
	require.Regexp(t, `(?m)^east .*\d+`, list)
	require.Equal(t, "east-x1", strings.TrimSpace(c.run("-s", "east", "outputs", "infraID")))
	c.run("fleet", "preview", "--expect-no-changes", "--select", "east")
	c.run("fleet", "drift", "--select", "east", "--select", "management")
	_, stderr, code := c.exit("-s", "management", "destroy", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack management is used by east")

	// Another machine has locked a stack.
	cloud.write(".pulumi/locks/organization/hypershift-aws/east/x.json",
		[]byte(`{"pid": 1, "username": "u", "hostname": "elsewhere", "timestamp": "2026-01-02T03:04:05Z"}`))
	stdout, stderr, code := c.exit("fleet", "up", "--yes", "--select", "east", "--lock-wait", "0")
	require.Equal(t, 4, code, stderr)
	require.Regexp(t, `east +locked .*stack east is locked by u@elsewhere, process 1`, stdout)
	c.run("-s", "east", "cancel", "--yes")
	c.run("fleet", "destroy", "--yes", "--remove", "--select", "east")
	require.NotRegexp(t, `(?m)^east .*\d\d\d\d-`, c.run("stacks"))

	// The backend becomes unavailable.
	cloud.door.Close()
	stdout, stderr, code = c.exit("fleet", "up", "--yes", "--parallel", "1", "--select", "management", "--select", "west")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stdout+stderr, "the backend "+cloud.backend+" cannot be used")
	require.Regexp(t, `west +not started`, stdout)
}

// TestABackendThatBecomesUnavailableLosesNothingThroughAWSsAPI has S3 go away while a stack's state is written for the fourth time.
func TestABackendThatBecomesUnavailableLosesNothingThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud, c := newCloudFleet(t)
	c.run("fleet", "up", "--yes", "--select", "management")
	written := 0
	cloud.closeAt(func(r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/stacks/hypershift-aws/east.json") {
			written++
		}
		return written > 3
	})
	stdout, stderr, code := c.with(stateAfterEachStep).exit("fleet", "up", "--yes", "--parallel", "1", "--select", "east", "--select", "west")
	require.Equal(t, 1, code, stderr)
	require.Regexp(t, `east +failed `, stdout)
	require.Regexp(t, `west +not started .*the backend cannot be used`, stdout)

	// Back again, with the lock that could not be released.
	cloud.closeAt(nil)
	c.run("-s", "east", "cancel", "--yes")
	stdout, stderr, code = c.exit("fleet", "up", "--yes", "--resume")
	require.Zero(t, code, "%s%s", stdout, stderr)
	if sizes.All() {
		c.run("fleet", "preview", "--expect-no-changes")
	}
	states := map[string][]apitype.ResourceV3{}
	for _, stack := range fleetStacks() {
		states[stack] = settled(t, []byte(cloud.object(".pulumi/stacks/hypershift-aws/"+stack+".json")))
	}
	c.requireFleetTrue(states)
}
