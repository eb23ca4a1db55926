// Package cloudstate keeps the states of tests in an S3 bucket, with their secrets under a KMS key, by an emulator of
// AWS.
package cloudstate

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// Bucket is a bucket for states and a key for their secrets.
type Bucket struct {
	t  *testing.T
	s3 *s3.Client
	// Backend and secretsProvider are the URLs that the engine is given.
	Backend, SecretsProvider string
	// Door is what the engine reaches S3 through. From the request for which shut first returns true the bucket does not
	// exist; nil keeps it.
	Door *httptest.Server
	shut func(*http.Request) bool
	mu   sync.Mutex
	Env  []string
}

// serve passes a request on, unless the bucket does not exist: an answer that AWS's SDK does not wait a minute for, as
// for none.
func (c *Bucket) serve(w http.ResponseWriter, r *http.Request, inside http.Handler) {
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

// CloseAt has the bucket gone from a request on; nil brings it back.
func (c *Bucket) CloseAt(request func(*http.Request) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = request
}

// BucketName is the name of the bucket.
const BucketName = "states"

// NewBucket starts the emulator, and skips the test without it.
func NewBucket(t *testing.T) *Bucket {
	t.Helper()
	address := moto.Serve(t, "a state in S3 whose secrets a KMS key encrypts")
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	c := &Bucket{t: t}
	c.s3 = s3.New(s3.Options{Region: "us-east-1", BaseEndpoint: &address, UsePathStyle: true, Credentials: credentials})
	_, err := c.s3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(BucketName)})
	require.NoError(t, err)
	keys := kms.New(kms.Options{Region: "us-east-1", BaseEndpoint: &address, Credentials: credentials})
	key, err := keys.CreateKey(t.Context(), &kms.CreateKeyInput{})
	require.NoError(t, err)
	target, err := url.Parse(address)
	require.NoError(t, err)
	inside := httputil.NewSingleHostReverseProxy(target)
	c.Door = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, inside) }))
	t.Cleanup(c.Door.Close)
	c.Backend = "s3://" + BucketName + "?region=us-east-1&s3ForcePathStyle=true&endpoint=" + c.Door.URL
	c.SecretsProvider = "awskms://" + *key.KeyMetadata.KeyId + "?region=us-east-1"
	c.Env = []string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_REGION=us-east-1",
		"AWS_ENDPOINT_URL_KMS=" + address,
		"PULUMI_BACKEND_URL=" + c.Backend, enginetest.WithoutDownloads}
	return c
}

// Object returns the content of an object of the bucket.
func (c *Bucket) Object(key string) string {
	c.t.Helper()
	got, err := c.s3.GetObject(c.t.Context(), &s3.GetObjectInput{Bucket: aws.String(BucketName), Key: &key})
	require.NoError(c.t, err)
	defer func() { require.NoError(c.t, got.Body.Close()) }()
	text, err := io.ReadAll(got.Body)
	require.NoError(c.t, err)
	return string(text)
}

// Write writes an object of the bucket.
func (c *Bucket) Write(key string, text []byte) {
	c.t.Helper()
	_, err := c.s3.PutObject(c.t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(BucketName),
		Key:    &key,
		Body:   bytes.NewReader(text),
	})
	require.NoError(c.t, err)
}

// Keys returns the names of the bucket's objects that begin with a prefix.
func (c *Bucket) Keys(prefix string) []string {
	c.t.Helper()
	var keys []string
	for pages := s3.NewListObjectsV2Paginator(c.s3, &s3.ListObjectsV2Input{
		Bucket: aws.String(BucketName),
		Prefix: &prefix,
	}); pages.HasMorePages(); {
		page, err := pages.NextPage(c.t.Context())
		require.NoError(c.t, err)
		for _, object := range page.Contents {
			keys = append(keys, *object.Key)
		}
	}
	return keys
}
