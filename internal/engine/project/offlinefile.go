package project

import (
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// offlineSecret replaces every secret of a stack's config in an offline run, which cannot decrypt them.
const offlineSecret = "offline"

// offlineStackFile returns the stack file of an offline run: file without its secrets, its secrets provider and its
// environments, and with the provider of the previous copy, else that of offline stacks, with the file's own
// key of it.
func offlineStackFile(file, before []byte) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(file, &document); err != nil {
		return nil, fmt.Errorf("the file is not YAML: %w", err)
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("the file is not a YAML mapping")
	}
	root := document.Content[0]
	removeKeys(root, append(secretsKeys(), "environment")...)
	replaceSecrets(root)

	var kept map[string]any
	if err := yaml.Unmarshal(before, &kept); err != nil || !slices.ContainsFunc(secretsKeys(), func(key string) bool {
		return kept[key] != nil
	}) {
		if yaml.Unmarshal(file, &kept) != nil || kept["secretsprovider"] != recorded.OfflineSecretsProvider {
			kept = map[string]any{"secretsprovider": recorded.OfflineSecretsProvider}
		}
	}
	for _, key := range secretsKeys() {
		if value, ok := kept[key].(string); ok {
			root.Content = append(root.Content,
				&yaml.Node{Kind: yaml.ScalarNode, Value: key}, &yaml.Node{Kind: yaml.ScalarNode, Value: value})
		}
	}
	return yaml.Marshal(&document)
}

// secretsKeys returns the keys of a stack file that configure the encryption of its secrets.
func secretsKeys() []string { return []string{"secretsprovider", "encryptedkey", "encryptionsalt"} }

func removeKeys(mapping *yaml.Node, keys ...string) {
	kept := mapping.Content[:0]
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		remove := false
		for _, key := range keys {
			remove = remove || mapping.Content[i].Value == key
		}
		if !remove {
			kept = append(kept, mapping.Content[i], mapping.Content[i+1])
		}
	}
	mapping.Content = kept
}

// replaceSecrets replaces each {secure: ciphertext} by a placeholder.
func replaceSecrets(node *yaml.Node) {
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[0].Value == "secure" {
		*node = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: offlineSecret}
		return
	}
	for _, child := range node.Content {
		replaceSecrets(child)
	}
}

// EngineConfig returns the config of a stack's file as the engine passes it to a program: plain values as text,
// structured ones as JSON, and a placeholder for each secret.
func (p *Project) EngineConfig(stack string) (map[string]string, error) {
	text, err := p.ReadStackFile(stack)
	if err != nil {
		return nil, fmt.Errorf("reading the config of stack %s: %w", stack, err)
	}
	if text, err = offlineStackFile(text, nil); err != nil {
		return nil, fmt.Errorf("reading the config of stack %s: %w", stack, err)
	}
	var file struct {
		Config map[string]yaml.Node `yaml:"config"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("reading the config of stack %s: %w", stack, err)
	}
	values := map[string]string{}
	for key, node := range file.Config {
		if node.Kind == yaml.ScalarNode {
			values[key] = node.Value
			continue
		}
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, fmt.Errorf("reading %s of stack %s: %w", key, stack, err)
		}
		structured, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("reading %s of stack %s: %w", key, stack, err)
		}
		values[key] = string(structured)
	}
	return values, nil
}
