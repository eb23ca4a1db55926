package savedplan

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Digests are the SHA-256 of the values of a stack's file, in hexadecimal, by their paths. Comments and the order of
// keys do not count.
type Digests map[string]string

// ReadDigests returns the digests of a stack's file.
func ReadDigests(path string, text []byte) (Digests, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("reading the config of the plan from %s: %w", path, err)
	}
	d := Digests{}
	d.add(&root, "")
	return d, nil
}

// NewSalt returns a key for SecretDigests, which is different for each plan.
func NewSalt() []byte {
	salt := make([]byte, sha256.Size)
	_, _ = rand.Read(salt) // it never fails
	return salt
}

// SecretDigests returns the HMAC-SHA256 of secrets that a stack's file refers to, by their paths. The plan contains the
// salt, so that it can be compared with the same secrets later; equal secrets have different digests in each plan.
func SecretDigests(salt []byte, secrets map[string]string) Digests {
	d := Digests{}
	for path, secret := range secrets {
		code := hmac.New(sha256.New, salt)
		code.Write([]byte(secret))
		d[path] = fmt.Sprintf("%x", code.Sum(nil))
	}
	return d
}

func (d Digests) add(node *yaml.Node, path string) {
	switch node.Kind {
	case yaml.DocumentNode:
		for _, content := range node.Content {
			d.add(content, path)
		}
	case yaml.AliasNode:
		d.add(node.Alias, path)
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i].Value
			if path == "" && key == "config" {
				d.add(node.Content[i+1], "")
				continue
			}
			if path != "" {
				key = path + "." + key
			}
			d.add(node.Content[i+1], key)
		}
	case yaml.SequenceNode:
		d[path+"[]"] = fmt.Sprint(len(node.Content))
		for i, content := range node.Content {
			d.add(content, fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		d[path] = fmt.Sprintf("%x", sha256.Sum256([]byte(node.Tag+" "+node.Value)))
	}
}

// changed lists the secrets with another content; those that only one of the two has differ in the config.
func (d Digests) changed(now Digests) []string {
	var list []string
	for path, digest := range now {
		if before, both := d[path]; both && before != digest {
			list = append(list, "the content of "+path+" was changed")
		}
	}
	slices.Sort(list)
	return list
}

// differences returns the paths with different values.
func (d Digests) differences(now Digests) []string {
	var list []string
	for path := range maps.Keys(d) {
		if _, there := now[path]; !there {
			list = append(list, path+" was removed from the config")
		} else if now[path] != d[path] {
			list = append(list, path+" was changed in the config")
		}
	}
	for path := range maps.Keys(now) {
		if _, there := d[path]; !there {
			list = append(list, path+" was added to the config")
		}
	}
	slices.Sort(list)
	return list
}
