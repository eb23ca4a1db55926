// Package bucket opens the bucket or the folder of a backend as the engine does, and reads the states of all stacks
// there.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3://

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// ErrNoBucket is the error for a backend that is neither an S3 bucket nor a folder.
var ErrNoBucket = errors.New("the backend is neither an S3 bucket nor a folder")

// Open opens a backend's bucket as the engine does, with the parameters of its URL.
func Open(ctx context.Context, backend engine.Backend) (*blob.Bucket, error) {
	if folder := backend.Folder(); folder != "" {
		bucket, err := fileblob.OpenBucket(folder, &fileblob.Options{
			NoTempDir:   true,
			Metadata:    fileblob.MetadataDontWrite,
			DirFileMode: 0o700,
		})
		if err != nil {
			return nil, fmt.Errorf("opening the backend %s: %w", backend.URL, err)
		}
		return bucket, nil
	}
	address, err := url.Parse(backend.URL)
	if err != nil || address.Scheme != "s3" {
		return nil, ErrNoBucket
	}
	query := address.Query()
	plain := query.Get("disableSSL") == "true"
	if query.Has("disableSSL") { // a parameter of earlier engines
		query.Del("disableSSL")
		query.Set("disable_https", fmt.Sprint(plain))
	}
	if endpoint := query.Get("endpoint"); endpoint != "" && !strings.Contains(endpoint, "://") {
		scheme := "https://"
		if plain {
			scheme = "http://"
		}
		query.Set("endpoint", scheme+endpoint)
	}
	address.RawQuery = query.Encode()
	bucket, err := blob.OpenBucket(ctx, address.String())
	if err != nil {
		return nil, fmt.Errorf("opening the backend %s: %w", backend.URL, err)
	}
	if below := strings.Trim(address.Path, "/"); below != "" {
		bucket = blob.PrefixedBucket(bucket, below+"/")
	}
	return bucket, nil
}
