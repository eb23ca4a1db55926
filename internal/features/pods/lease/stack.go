// Package lease keeps files of a stack beside its state, in the bucket or the folder of its backend, and marks there
// which run works on the stack: for runs whose own files end with them, such as those in pods. It reads and releases
// the locks of engines that have ended.
package lease

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/bucket"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Stack is the place of a stack's files beside its state. Close it.
type Stack struct {
	bucket *blob.Bucket
	name   string
	// files and locks are the prefixes of this program's files and of the engines' locks.
	files, locks string
}

// Open opens the place of a project's stack. It does not call the backend yet.
func Open(ctx context.Context, backend engine.Backend, projectName, stack string) (*Stack, error) {
	opened, err := bucket.Open(ctx, backend)
	if err != nil {
		return nil, err
	}
	name := path.Base(stack)
	return &Stack{
		bucket: opened, name: name,
		files: path.Join(".hypershift-aws", projectName, name) + "/",
		locks: path.Join(".pulumi", "locks", "organization", projectName, name) + "/",
	}, nil
}

// Close releases the connection.
func (s *Stack) Close() error { return s.bucket.Close() }

// fetch replaces the files of a folder with the stack's files. It removes files that the stack does not have.
func (s *Stack) fetch(ctx context.Context, dir string, names []string) error {
	for _, name := range names {
		text, err := s.bucket.ReadAll(ctx, s.files+name)
		switch {
		case gcerrors.Code(err) == gcerrors.NotFound:
			err = os.Remove(filepath.Join(dir, name))
			if errors.Is(err, os.ErrNotExist) {
				err = nil
			}
		case err == nil:
			err = atomicfile.WritePrivate(filepath.Join(dir, name), text)
		}
		if err != nil {
			return fmt.Errorf("reading %s of stack %s beside its state: %w", name, s.name, err)
		}
	}
	return nil
}

// copies are the files of a folder that are kept beside the state.
type copies struct {
	stack *Stack
	dir   string
	names []string
	// stored is the content in the bucket, by name.
	stored map[string][]byte
}

// store writes the files that have changed, and removes those that no longer exist.
func (c *copies) store(ctx context.Context) error {
	for _, name := range c.names {
		text, err := os.ReadFile(filepath.Join(c.dir, name))
		missing := errors.Is(err, os.ErrNotExist)
		before, known := c.stored[name]
		switch {
		case missing && known:
			err = c.stack.remove(ctx, c.stack.files+name)
		case missing:
			err = nil
		case err == nil && (!known || !bytes.Equal(before, text)):
			err = c.stack.bucket.WriteAll(ctx, c.stack.files+name, text, nil)
		}
		if err != nil {
			return fmt.Errorf("writing %s of stack %s beside its state: %w", name, c.stack.name, err)
		}
		if missing {
			delete(c.stored, name)
		} else {
			c.stored[name] = text
		}
	}
	return nil
}

// list returns the keys below a prefix.
func (s *Stack) list(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	for all := s.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
		object, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil {
			return nil, fmt.Errorf("listing %s beside the state of stack %s: %w", prefix, s.name, err)
		}
		if !object.IsDir && strings.HasSuffix(object.Key, ".json") {
			keys = append(keys, object.Key)
		}
	}
}

// read returns an object, nil if it does not exist.
func (s *Stack) read(ctx context.Context, key string) ([]byte, error) {
	text, err := s.bucket.ReadAll(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s beside the state of stack %s: %w", key, s.name, err)
	}
	return text, nil
}

// remove deletes an object, if it exists.
func (s *Stack) remove(ctx context.Context, key string) error {
	err := s.bucket.Delete(ctx, key)
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("removing %s beside the state of stack %s: %w", key, s.name, err)
	}
	return nil
}
