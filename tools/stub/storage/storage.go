// Package storage replaces the client of Google Cloud Storage when the engine is built. The engine uses it for backends
// at gs:// URLs, and for nothing else; but with it come Envoy's API and Google Cloud Monitoring, a tenth of the
// packages that the engine compiles, which register their messages at each start of the engine.
package storage

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/api/iterator"
)

// ScopeReadWrite is the OAuth scope in which the engine looks for credentials.
const ScopeReadWrite = "https://www.googleapis.com/auth/devstorage.read_write"

// The errors that the engine distinguishes. No function returns them.
var (
	ErrBucketNotExist = errors.New("storage: bucket doesn't exist")
	ErrObjectNotExist = errors.New("storage: object doesn't exist")
)

// NewClient always fails, so that nothing below is ever reached.
func NewClient[Option any](context.Context, ...Option) (*Client, error) {
	return nil, errors.New("this pulumi was built without Google Cloud Storage; install one from https://www.pulumi.com/docs/install")
}

// SignedURL is never reached.
func SignedURL(string, string, *SignedURLOptions) (string, error) { return "", nil }

// What else the engine's source names. Nothing of it is reached.
type (
	Client           struct{}
	BucketHandle     struct{}
	ObjectHandle     struct{}
	ObjectIterator   struct{ iterator.Pageable }
	Conditions       struct{ DoesNotExist bool }
	Copier           struct{}
	Query            struct{ Prefix, Delimiter string }
	SignedURLOptions struct {
		GoogleAccessID, Method, ContentType string
		PrivateKey                          []byte
		SignBytes                           func([]byte) ([]byte, error)
		Expires                             time.Time
	}
	ObjectAttrs struct {
		Name, Prefix, Etag, CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType string
		Metadata                                                                                            map[string]string
		MD5                                                                                                 []byte
		Size                                                                                                int64
		Created, Updated                                                                                    time.Time
	}
	ReaderObjectAttrs struct {
		ContentType  string
		Size         int64
		LastModified time.Time
	}
	Reader struct {
		io.ReadCloser
		Attrs ReaderObjectAttrs
	}
	Writer struct {
		io.WriteCloser
		ObjectAttrs
		ChunkSize             int
		ForceEmptyContentType bool
	}
)

func (*Client) Bucket(string) *BucketHandle                                         { return nil }
func (*BucketHandle) Object(string) *ObjectHandle                                   { return nil }
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator               { return nil }
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error)                   { return nil, nil }
func (*ObjectHandle) NewRangeReader(context.Context, int64, int64) (*Reader, error) { return nil, nil }
func (*ObjectHandle) NewWriter(context.Context) *Writer                             { return nil }
func (*ObjectHandle) If(Conditions) *ObjectHandle                                   { return nil }
func (*ObjectHandle) CopierFrom(*ObjectHandle) *Copier                              { return nil }
func (*ObjectHandle) Delete(context.Context) error                                  { return nil }
func (*Copier) Run(context.Context) (*ObjectAttrs, error)                           { return nil, nil }
