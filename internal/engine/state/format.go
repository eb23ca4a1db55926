package state

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// FileForm is what a file in a backend's folder of stacks is.
type FileForm int

const (
	// UnknownForm is a file that may be a state, in a format that this program cannot read.
	UnknownForm FileForm = iota
	// StateForm is the state of a stack: JSON, plain or compressed.
	StateForm
	// CopyForm is no state: the engine's copy of one, what a storage keeps beside it, an unfinished write, or a file of
	// the system.
	CopyForm
)

// FormOf returns what a file in a backend's folder of stacks is by its name, and the stack that it belongs to. Only the
// names of known copies are no states; a later engine's format is unknown, and must not count as absent.
//
// Source: getFiles in pkg/backend/diy/store.go of github.com/pulumi/pulumi, and fileblob of gocloud.dev.
func FormOf(name string) (stack string, form FileForm) {
	at := strings.LastIndex(name, ".json")
	if at < 0 {
		if strings.HasPrefix(name, ".") { // .DS_Store, .gitignore
			return name, CopyForm
		}
		return name, UnknownForm
	}
	stack, rest := name[:at], name[at+len(".json"):]
	for _, packed := range []string{".gz", ".zst"} {
		rest = strings.TrimPrefix(rest, packed)
	}
	switch {
	case rest == "":
		return stack, StateForm
	case rest == ".bak", rest == ".attrs", rest == ".bak.attrs",
		strings.HasPrefix(rest, ".") && strings.HasSuffix(rest, ".tmp"):
		return stack, CopyForm
	}
	return stack, UnknownForm
}

// mostUnpacked is the size up to which a compressed state is unpacked: a state of 10,000 resources has about 60 MB.
const mostUnpacked = 1 << 30

// unpack returns the JSON of a state, whatever compression its first bytes show.
func unpack(text []byte) ([]byte, error) {
	var unpacked io.Reader
	switch {
	case bytes.HasPrefix(text, []byte{0x1f, 0x8b}):
		reader, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("unpacking the state: %w", err)
		}
		unpacked = reader
	case bytes.HasPrefix(text, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		reader, err := zstd.NewReader(bytes.NewReader(text), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("unpacking the state: %w", err)
		}
		defer reader.Close()
		unpacked = reader
	default:
		return text, nil
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, mostUnpacked+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpacking the state: %w", err)
	case len(text) > mostUnpacked:
		return nil, fmt.Errorf("unpacking the state: it has more than %d bytes", mostUnpacked)
	}
	return text, nil
}
