package config

import (
	"encoding"
	"os"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// SecretSource is the source of a secret: a file or an environment variable. A string is the path of the file. A
// program can give the secret itself: see SecretValue.
type SecretSource struct {
	// File is the path of a file with the secret: relative to the stack's file, absolute, or beginning with ~/. Required
	// unless env is given.
	File string `yaml:"file" pulumi:"file,optional"`
	// Env is the name of an environment variable with the secret. Required unless file is given.
	Env string `yaml:"env" pulumi:"env,optional"`

	// text is the secret itself, nil if it has another source.
	text *string
	// given is the secret as an output of a resource.
	given pulumi.StringInput
}

// SecretValue is a secret that a program has, for the section of a Content. It is written nowhere but, encrypted, in
// the stack's state.
func SecretValue(text string) *SecretSource { return &SecretSource{text: &text} }

var _ encoding.TextUnmarshaler = (*SecretSource)(nil)

// SecretKeys returns the keys of a hosted cluster whose values are secrets' sources: each is a mapping, or the path of
// a file.
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
	if s == nil || s.text != nil || s.given != nil || (s.File == "") != (s.Env == "") {
		return nil
	}
	return &fault.Fault{Problem: "requires exactly one of file and env", Remedy: "use one of them"}
}

// check returns the fault of a secret that a program gives. A secret from elsewhere is checked when it is read.
func (s *SecretSource) check(value hostedcluster.SecretValue) error {
	if s == nil || s.text == nil {
		return nil
	}
	text, err := s.read("")
	if err == nil {
		_, err = checkSecret(value, text)
	}
	return err
}

// read reads the secret; dir is the folder that its file is relative to. It returns a fault if the secret is missing or
// empty.
func (s *SecretSource) read(dir string) (string, error) {
	var faults fault.Faults
	if s.text != nil {
		if *s.text == "" {
			faults.Add("", nil, "is empty", "give the secret, or leave it out")
		}
		return *s.text, faults.Err()
	}
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
