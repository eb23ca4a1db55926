package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AppendLine adds a value as a line of JSON to a journal: a file that only its owner can read, to which lines are only
// added. It creates the file and its folder. The line survives the end of this process.
func AppendLine(path string, line any) error { return appendLine(path, line, (*os.File).Close) }

// AppendSyncedLine is like AppendLine, and returns after the line is on the disk: it survives the end of the machine.
func AppendSyncedLine(path string, line any) error {
	return appendLine(path, line, func(f *os.File) error { return errors.Join(f.Sync(), f.Close()) })
}

func appendLine(path string, line any, end func(*os.File) error) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	f, err := openJournal(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	text = append(text, '\n')
	last := make([]byte, 1)
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	_, err = f.Write(text)
	if err := errors.Join(err, end(f)); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func openJournal(path string) (*os.File, error) {
	const flags = os.O_CREATE | os.O_APPEND | os.O_RDWR
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, flags, 0o600)
	}
	return f, err
}

// Lines returns the lines of a journal, none if it does not exist. A process that was killed while it wrote leaves an
// incomplete last line, which is skipped and does not damage the next one.
func Lines[T any](path string) ([]T, error) {
	text, err := ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	var list []T
	for line := range bytes.Lines(text) {
		var one T
		if json.Unmarshal(line, &one) == nil {
			list = append(list, one)
		}
	}
	return list, nil
}

// Remove deletes a file, if it exists.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing %s: %w", path, err)
	}
	return nil
}
