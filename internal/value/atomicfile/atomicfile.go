package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Write replaces a file atomically and durably: a reader in another process sees the old or the new file, also after
// the machine was switched off. It does not write a file that has the same content already. In a folder that only its
// owner can enter, the file is its owner's alone, whatever mode it had; elsewhere an existing file keeps its mode, and
// others can read a new one.
func Write(path string, content []byte) error {
	mode, err := modeOf(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return write(path, content, mode)
}

// WritePrivate is like Write, for a file that only its owner can read, in any folder.
func WritePrivate(path string, content []byte) error { return write(path, content, 0o600) }

// WriteVolatile replaces a file atomically, and not durably: it does not wait for the disk, so the file may be empty
// after the machine was switched off. Only the file's owner can read it.
func WriteVolatile(path string, content []byte) error {
	return rename(path, content, 0o600, false, os.Rename)
}

// write replaces a file, or the file that a link points to. It writes to a device without replacing it.
func write(path string, content []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return WriteInto(path, content, mode)
	}
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, content) {
		err = os.Chmod(path, mode)
	} else {
		err = rename(path, content, mode, true, os.Rename)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// WriteInto writes into a file as it is, or into a device or a pipe. The error is a fs.PathError.
func WriteInto(path string, content []byte, mode fs.FileMode) error {
	file, err := OpenInto(path, os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// OpenInto opens a file for WriteInto. A named pipe that nothing reads is refused at once: waiting for its reader may
// never end.
func OpenInto(path string, flags int, mode fs.FileMode) (*os.File, error) {
	file, err := os.OpenFile(path, flags|os.O_WRONLY|syscall.O_NONBLOCK, mode)
	var failed *fs.PathError
	if info, unknown := os.Stat(path); errors.As(err, &failed) && unknown == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		failed.Err = errors.New("it is a named pipe that nothing reads")
	}
	return file, err
}

// Create is like Write, for a file that must not exist yet: the error is fs.ErrExist if it does.
func Create(path string, content []byte) error {
	mode, err := modeOf(path)
	if err != nil {
		return fmt.Errorf("creating %s: %w", path, err)
	}
	if err := rename(path, content, mode, true, os.Link); err != nil {
		return fmt.Errorf("creating %s: %w", path, err)
	}
	return nil
}

// rename writes a temporary file beside the path, if durable to the disk, and then calls act with both.
func rename(path string, content []byte, mode fs.FileMode, durable bool, act func(temp, path string) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(content)
	if durable && err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Chmod(mode), temp.Close()); err != nil {
		return err
	}
	return act(temp.Name(), path)
}

// modeOf returns the mode of a file that is to be written.
func modeOf(path string) (fs.FileMode, error) {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	if isPrivate(folder) {
		return 0o600, nil
	}
	file, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0o644, nil
	}
	if err != nil {
		return 0, err
	}
	return file.Mode().Perm(), nil
}

func isPrivate(folder fs.FileInfo) bool { return folder.Mode().Perm()&0o077 == 0 }

// MakeDir creates a folder and its parents. Below a folder that only its owner can enter, all of them are its owner's
// alone.
func MakeDir(path string) error {
	mode := fs.FileMode(0o755)
	for parent := filepath.Dir(path); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err == nil && isPrivate(info) {
			mode = 0o700
		}
		if err == nil || parent == filepath.Dir(parent) {
			break
		}
	}
	return os.MkdirAll(path, mode)
}

// MakePrivateDir creates a folder that only its owner can enter. If others could enter an existing one, what is in it
// becomes its owner's alone.
func MakePrivateDir(path string) error {
	if info, err := os.Stat(path); err == nil && isPrivate(info) {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return MakePrivate(path)
}

// MakePrivate makes a folder and all in it its owner's alone. A folder that does not exist is private.
func MakePrivate(path string) error {
	err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // another process has removed it
		case err != nil:
			return err
		case !entry.IsDir() && !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(path, info.Mode().Perm()&0o700)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("making %s private: %w", path, err)
	}
	return nil
}

// EscapeGlob escapes a folder's name for filepath.Glob.
func EscapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// ErrLocked is the error for a lock of another process.
var ErrLocked = errors.New("locked by another process")

// Lock locks a file that is no link, which it creates if needed, until the returned file is closed by this process and
// by each process that inherits it, or until Unlock. The system closes it when they end, even if they are killed. The
// error is ErrLocked if the file is locked already.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	if err = lock(f, false); err == nil {
		return f, nil
	}
	return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
}

// LockOpen locks an open file, and waits until no other process has it locked.
func LockOpen(f *os.File) (unlock func(), err error) {
	if err := lock(f, true); err != nil {
		return nil, err
	}
	return func() { release(f) }, nil
}

// Unlock releases the lock of a file and closes it. A process that was started a moment ago may still have the file
// open, which close alone would wait for.
func Unlock(f *os.File) {
	release(f)
	_ = f.Close()
}
