package atomicfile

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostInput is the largest file that a user gives: 16 MiB is far more than a stack's file, a pull secret or a template
// has.
const mostInput = 16 << 20

// Named returns the path of a file that a user names: it is relative to dir, absolute, or begins with ~/.
func Named(dir, name string) (string, error) {
	if rest, inHome := strings.CutPrefix(name, "~/"); inHome {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the home directory: %w", err)
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	return filepath.Join(dir, name), nil
}

// ReadInput reads a file that a user or a repository gives. What is no regular file is refused at once, because reading
// a named pipe or a device may never end, and so is a file that is too large. The error is a fs.PathError.
func ReadInput(path string) ([]byte, error) { return readRegular(path, mostInput) }

// ReadRegular is ReadInput without a limit, for files that become larger with a stack: states, plans and journals.
func ReadRegular(path string) ([]byte, error) { return readRegular(path, math.MaxInt64-1) }

func readRegular(path string, most int64) ([]byte, error) {
	refuse := func(format string, args ...any) error {
		return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf(format, args...)}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer does not block
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return nil, refuse("it is no regular file")
	}
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		err = refuse("it is larger than %d MiB", most>>20)
	}
	return content, err
}
