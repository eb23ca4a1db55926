package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// HomeWithoutLogs prepares home as a PULUMI_HOME in which the engine keeps no log of its operations. Writing and compressing the log takes
// a fifth of the engine's processor time, and no setting turns it off; but the engine writes none if `logs` is not a folder. An existing
// folder is not changed.
func HomeWithoutLogs(home string) error {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("creating the engine's home: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(home, "logs"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("turning off the engine's logs: %w", err)
	}
	return file.Close()
}
