package config

import (
	"encoding"
	"os"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// SecretSource is the source of a secret: a file or an environment variable. A string is the path of the file.
type SecretSource struct {
	// File is the path of a file with the secret: relative to the stack's file, absolute, or beginning with ~/. Required
	// unless env is given.
	File string `yaml:"file" pulumi:"file,optional"`
	// Env is the name of an environment variable with the secret. Required unless file is given.
	Env string `yaml:"env" pulumi:"env,optional"`

	// given is the secret itself, which only a program can set.
	given pulumi.StringInput
}

var _ encoding.TextUnmarshaler = (*SecretSource)(nil)

// SecretKeys returns the keys of a hosted cluster whose values are secrets' sources: each is a mapping, or the path of a file.
func SecretKeys() []string {
	var keys []string
	for field := range reflect.TypeFor[HostedCluster]().Fields() {
		if field.Type == reflect.TypeFor[*SecretSource]() {
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			keys = append(keys, key)
		}
	}
	return keys
}

// UnmarshalText reads a source that is just a file.
func (s *SecretSource) UnmarshalText(text []byte) error {
	*s = SecretSource{File: string(text)}
	return nil
}

func (s *SecretSource) validate() error {
	if s == nil || s.given != nil || (s.File == "") != (s.Env == "") {
		return nil
	}
	return &fault.Fault{Problem: "requires exactly one of file and env", Remedy: "use one of them"}
}

// read reads the secret; dir is the folder to which its file is relative. It returns a fault if the secret is missing or empty.
func (s *SecretSource) read(dir string) (string, error) {
	var faults fault.Faults
	if s.Env != "" {
		value := os.Getenv(s.Env)
		if value == "" {
			faults.Add("env", s.Env, "is not set in the environment", "set it, or use file")
		}
		return value, faults.Err()
	}
	text, err := readFile(dir, s.File)
	faults.Join("file", err)
	return text, faults.Err()
}
