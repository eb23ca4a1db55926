package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
)

// AWSConfig is the configuration of a stack's own AWS provider in its file and Pulumi.yaml.
type AWSConfig struct {
	// Values are the values of the keys aws:*, without that prefix.
	Values map[string]any
	// Secret is true if a value is encrypted, as {secure: …}.
	Secret bool
	// Environment is true if the file names ESC environments, which may have further values.
	Environment bool
}

// AWSConfig reads the keys aws:* of a stack. A stack without a file has the keys of Pulumi.yaml.
func (p *Project) AWSConfig(stack string) (AWSConfig, error) {
	c := AWSConfig{Values: map[string]any{}}
	if p.settings != nil {
		for key, value := range p.settings.Config {
			c.add(key, value.Value)
		}
	}
	text, err := p.ReadStackFile(stack)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	var file struct {
		Config      map[string]any `yaml:"config"`
		Environment any            `yaml:"environment"`
	}
	if err == nil {
		err = yaml.Unmarshal(text, &file)
	}
	if err != nil {
		return c, fmt.Errorf("reading the aws: keys of stack %s: %w", stack, err)
	}
	c.Environment = file.Environment != nil
	for key, value := range file.Config {
		c.add(key, value)
	}
	return c, nil
}

func (c *AWSConfig) add(key string, value any) {
	name, ok := strings.CutPrefix(key, "aws:")
	if !ok || value == nil {
		return
	}
	c.Values[name] = value
	c.Secret = c.Secret || awsconfig.Encrypted(value)
}

// Texts returns the values as the engine passes them to the provider: plain values as text, structured ones as JSON. It
// returns false if only the engine can read them all: it decrypts secrets and opens environments.
func (c AWSConfig) Texts() (map[string]string, bool) {
	if c.Secret || c.Environment {
		return nil, false
	}
	texts := map[string]string{}
	for name, value := range c.Values {
		switch value := value.(type) {
		case string:
			texts[name] = value
		case bool, int:
			texts[name] = fmt.Sprint(value)
		case map[string]any, []any:
			text, err := json.Marshal(value)
			if err != nil {
				return nil, false
			}
			texts[name] = string(text)
		default:
			return nil, false
		}
	}
	return texts, true
}
