package pko

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// configOf returns the config of a stack's file: its values, and by their keys references to those that are encrypted.
// These are in the Secret <stack>-config, under the config's key with "." for ":".
func configOf(s Stack) (values, secrets map[string]any, err error) {
	var faults fault.Faults
	var file struct {
		Config      map[string]yaml.Node `yaml:"config"`
		Environment yaml.Node            `yaml:"environment"`
	}
	if err := yaml.Unmarshal(s.Text, &file); err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", s.Path, err)
	}
	if !file.Environment.IsZero() {
		faults.Add("environment", nil, "names environments of Pulumi ESC, which are not rendered",
			"write the values below config, and remove it from the file")
	}
	values, secrets = map[string]any{}, map[string]any{}
	for key, node := range file.Config {
		if encrypted(&node) {
			secrets[key] = map[string]any{
				"type":   "Secret",
				"secret": map[string]any{"name": s.Name + "-config", "key": strings.ReplaceAll(key, ":", ".")},
			}
			continue
		}
		walk(&node, key, func(path string, n *yaml.Node) {
			switch {
			case encrypted(n):
				faults.Add(path, nil, "is encrypted inside a structured value, which a Secret cannot supply",
					"read it from the pods' environment, {env: NAME}, and add NAME to the Secret of --env-secret")
			case n.Kind == yaml.ScalarNode && strings.HasSuffix(path, ".kubeconfig.file"):
				faults.Add(path, n.Value, "is a file on this machine, which pods cannot access",
					"remove `file`: pods read the file of KUBECONFIG, or use their service account if there is none")
			case n.Kind == yaml.ScalarNode && strings.HasSuffix(path,
				".install.manifests") && !strings.HasPrefix(n.Value, "https://"):
				faults.Add(path, n.Value, "is a file on this machine, which pods cannot access",
					"use an https:// URL, with its digest")
			case fileReference(n) && last(path) != "kubeconfig", n.Kind == yaml.ScalarNode && slices.Contains(config.SecretKeys(), last(path)):
				faults.Add(path, fileOf(n), "is a file on this machine, which pods cannot access",
					"read it from the pods' environment, {env: NAME}, and add NAME to the Secret of --env-secret")
			}
		})
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, nil, fmt.Errorf("reading %s of %s: %w", key, s.Path, err)
		}
		values[key] = value
	}
	for _, f := range faults {
		f.File = s.Path
	}
	return values, secrets, faults.Err()
}

// encrypted reports whether a value is a secret as `pulumi config set --secret` writes it.
func encrypted(n *yaml.Node) bool { return soleKey(n) == "secure" }

// fileReference reports whether a value is read from a file, as {file: PATH}.
func fileReference(n *yaml.Node) bool { return soleKey(n) == "file" }

// fileOf returns the file of a reference, or of a value that is just a path.
func fileOf(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return n.Content[1].Value
}

// last returns the last key of a path.
func last(path string) string { return path[strings.LastIndex(path, ".")+1:] }

func soleKey(n *yaml.Node) string {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return ""
	}
	return n.Content[0].Value
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// walk visits a value and those in it, with their paths.
func walk(n *yaml.Node, path string, visit func(path string, n *yaml.Node)) {
	visit(path, n)
	switch n.Kind { //nolint:exhaustive // other nodes have no children
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := "." + n.Content[i].Value
			if !plainKey.MatchString(n.Content[i].Value) {
				key = fmt.Sprintf("[%q]", n.Content[i].Value)
			}
			walk(n.Content[i+1], path+key, visit)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			walk(item, fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}
