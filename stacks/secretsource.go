package stacks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// SecretSourceConfig says where a secret is read, in short by its file alone. From there on it is a secret of the stack.
type SecretSourceConfig struct {
	// File is the path of the file that has it, from the stack's file, or beginning with ~/.
	File string `yaml:"file"`
	// Env is the environment variable that has it, in place of a file.
	Env string `yaml:"env"`
}

var _ shorthand = (*SecretSourceConfig)(nil)

func (c *SecretSourceConfig) fromText(text string) { c.File = text }

func (c *SecretSourceConfig) validate() error {
	switch {
	case c == nil:
		return nil
	case (c.File == "") == (c.Env == ""):
		return &fault.Fault{Problem: "has not one source", Remedy: "give file or env"}
	}
	return nil
}

// read reads the secret, relative to dir. It returns a fault of the config where it is not there or empty.
func (c *SecretSourceConfig) read(dir string) (string, error) {
	if c.Env != "" {
		value := os.Getenv(c.Env)
		if value == "" {
			return "", &fault.Fault{Path: "env", Value: c.Env, Problem: "is not set in the environment", Remedy: "set it, or give file"}
		}
		return value, nil
	}
	path := c.File
	if rest, home := strings.CutPrefix(path, "~/"); home {
		userDir, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the home of %s: %w", c.File, err)
		}
		path = filepath.Join(userDir, rest)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	content, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "", &fault.Fault{Path: "file", Value: c.File, Problem: "cannot be read: " + reason(err), Remedy: "give a file, by its path from the stack's file"}
	case len(content) == 0:
		return "", &fault.Fault{Path: "file", Value: c.File, Problem: "is empty", Remedy: "give a file that has the secret"}
	}
	return string(content), nil
}
