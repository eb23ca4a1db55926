package savedplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// format is the version of the file's format.
const format = 1

// File is a saved plan.
type File struct {
	// Format is the version of this format.
	Format int `json:"hypershiftAWSPlan"`
	// Project and Stack name the stack. Offline is true for its offline state.
	Project string `json:"project"`
	Stack   string `json:"stack"`
	Offline bool   `json:"offline,omitempty"`
	// Backend is the URL of the state.
	Backend string `json:"backend"`
	// Made is when the plan was created, and Version the version of this program that created it.
	Made    time.Time `json:"made"`
	Version string    `json:"version"`
	// Config is the SHA-256 of each value of the stack's file, by the value's path.
	Config Digests `json:"config"`
	// Secrets is the HMAC-SHA256, with the key Salt, of the content of each file or environment variable that the stack's
	// file names for a secret, by its path.
	Secrets Digests `json:"secrets,omitempty"`
	Salt    []byte  `json:"salt,omitempty"`
	// Drift is the differences between AWS and the state when the plan was created.
	Drift []changes.Difference `json:"drift"`
	// Engine is the engine's update plan. Secrets in it are encrypted by the stack's secrets provider.
	Engine json.RawMessage `json:"engine"`
}

// Write writes a plan to a file that only its owner can read: it contains the inputs of all resources.
func Write(path string, f *File) error {
	f.Format = format
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return atomicfile.WritePrivate(path, append(text, '\n'))
}

// Read reads a saved plan.
func Read(path string) (*File, error) {
	text, err := atomicfile.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refused("--plan %s: the file does not exist", path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	var f File
	if err := json.Unmarshal(text, &f); err != nil || f.Format == 0 || len(f.Engine) == 0 {
		return nil, refused("--plan %s is not a plan", path)
	}
	if f.Format != format {
		return nil, refused("--plan %s has format %d, and this program reads format %d", path, f.Format, format)
	}
	return &f, nil
}

func refused(text string, args ...any) error {
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf(text, args...),
		Remedy:  "create one with `hypershift-aws preview --save-plan FILE`",
	}
}
