package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// statesPrefix is the prefix of the engine's states in a backend: a folder per project, with a file per stack.
const statesPrefix = ".pulumi/stacks/"

// readers is how many states are read at the same time.
const readers = 16

// states lists and reads the states of a backend.
type states interface {
	// list returns the keys of all states, below statesPrefix. What cannot be listed is a state with an error.
	list(ctx context.Context, own string) (keys []string, unlisted []state.OfStack, err error)
	// read returns the content of a state, nil if it no longer exists.
	read(ctx context.Context, key string) ([]byte, error)
	close() error
}

// EachState reads the states of a backend's stacks that mention selects, several at a time, and calls each with one
// after the other, in no particular order; no more than a few of them are in memory. own is the project whose states
// are read even if the backend does not list those of others. What cannot be listed or read until the context ends is
// passed with its error: a stack named "*" stands for all of its project, and a project named "*" for all others. It
// returns ErrNoBucket if only the engine can read the states.
func EachState(
	ctx context.Context,
	backend engine.Backend,
	own string,
	mention state.Mention,
	each func(state.OfStack),
) error {
	all, err := openStates(ctx, backend)
	if err != nil {
		return err
	}
	defer func() { _ = all.close() }()
	keys, unlisted, err := all.list(ctx, own)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !strings.Contains(strings.TrimPrefix(key, statesPrefix), "/") {
			return ErrNoBucket // of an engine before v3.61, whose states have no folder per project
		}
	}
	for _, one := range unlisted {
		each(one)
	}
	next := make(chan string)
	var reading sync.WaitGroup
	var calling sync.Mutex
	for range readers {
		reading.Go(func() {
			for key := range next {
				if one, passed := readKey(ctx, all, key, mention); passed {
					calling.Lock()
					each(one)
					calling.Unlock()
				}
			}
		})
	}
	for _, key := range keys {
		next <- key
	}
	close(next)
	reading.Wait()
	return nil
}

// readKey reads the state with a key, unless it has been removed since it was listed, or is not selected.
func readKey(ctx context.Context, all states, key string, mention state.Mention) (one state.OfStack, passed bool) {
	one.Project = path.Base(path.Dir(key))
	var form state.FileForm
	if one.Stack, form = state.FormOf(path.Base(key)); form == state.UnknownForm {
		one.Err = fmt.Errorf("%s may be a state, but its format is not known", path.Base(key))
		return one, true
	}
	if one.Err = ctx.Err(); one.Err != nil {
		one.Err = fmt.Errorf("it was not read in time: %w", one.Err)
		return one, true
	}
	text, err := all.read(ctx, key)
	if err == nil && text == nil {
		return one, false
	}
	if err != nil {
		one.Err = err
	} else {
		one.Read(text, mention)
	}
	return one, one.Deployment != nil || one.Err != nil
}

// mayBeState reports whether a file of a project may be a state: it is one, or its format is not known.
func mayBeState(name string) bool {
	_, form := state.FormOf(name)
	return form != state.CopyForm
}

func openStates(ctx context.Context, backend engine.Backend) (states, error) {
	if folder := backend.Folder(); folder != "" {
		return folderStates(folder), nil
	}
	opened, err := Open(ctx, backend)
	if err != nil {
		return nil, err
	}
	return bucketStates{opened}, nil
}

// folderStates are the states of a backend in a folder. They are not read through package blob, which leaves out
// folders that it may not read.
type folderStates string

func (f folderStates) list(_ context.Context, own string) (keys []string, unlisted []state.OfStack, err error) {
	projects, err := os.ReadDir(filepath.Join(string(f), statesPrefix))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		unlisted = append(unlisted, state.OfStack{Project: "*", Stack: "*", Err: err})
		keys, further := f.listProject(own)
		return keys, append(unlisted, further...), nil
	}
	for _, one := range projects {
		if _, form := state.FormOf(one.Name()); !one.IsDir() && form != state.UnknownForm {
			if form == state.StateForm {
				keys = append(keys, statesPrefix+one.Name())
			}
			continue
		}
		found, further := f.listProject(one.Name())
		keys, unlisted = append(keys, found...), append(unlisted, further...)
	}
	return keys, unlisted, nil
}

func (f folderStates) listProject(name string) (keys []string, unlisted []state.OfStack) {
	entries, err := os.ReadDir(filepath.Join(string(f), statesPrefix, name)) // a link is followed
	if err != nil {
		return nil, []state.OfStack{{Project: name, Stack: "*", Err: err}}
	}
	for _, entry := range entries {
		if mayBeState(entry.Name()) {
			keys = append(keys, statesPrefix+name+"/"+entry.Name())
		}
	}
	return keys, nil
}

func (f folderStates) read(_ context.Context, key string) ([]byte, error) {
	text, err := atomicfile.ReadRegular(filepath.Join(string(f), filepath.FromSlash(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

func (folderStates) close() error { return nil }

// bucketStates are the states of a backend in an S3 bucket.
type bucketStates struct{ bucket *blob.Bucket }

func (b bucketStates) list(ctx context.Context, own string) (keys []string, unlisted []state.OfStack, err error) {
	keys, err = b.listBelow(ctx, statesPrefix)
	if gcerrors.Code(err) == gcerrors.PermissionDenied { // the policy may be for the project's states alone
		unlisted = append(unlisted, state.OfStack{Project: "*", Stack: "*", Err: err})
		keys, err = b.listBelow(ctx, statesPrefix+own+"/")
	}
	return keys, unlisted, err
}

func (b bucketStates) listBelow(ctx context.Context, prefix string) (keys []string, err error) {
	for all := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
		object, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil {
			return nil, fmt.Errorf("listing the states of the backend: %w", err)
		}
		if !object.IsDir && mayBeState(path.Base(object.Key)) {
			keys = append(keys, object.Key)
		}
	}
}

func (b bucketStates) read(ctx context.Context, key string) ([]byte, error) {
	text, err := b.bucket.ReadAll(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, nil
	}
	return text, err
}

func (b bucketStates) close() error { return b.bucket.Close() }
