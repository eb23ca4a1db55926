package stacks

import (
	"os"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// stackFile is the file that a stack's config comes from.
type stackFile struct {
	path string
	// root is its content, nil where it cannot be read: faults then have no line.
	root *yaml.Node
}

func openStackFile(dir, stack string) stackFile {
	f := stackFile{path: filepath.Join(dir, FileName(stack))}
	if text, err := os.ReadFile(f.path); err == nil {
		f.root, _ = parseYAML(text) // the engine has read it
	}
	return f
}

// refused gives what a component found in AWS to be otherwise than its args say the place of the config that
// the args come from: prefix tells, of an arg's root, what it lies under. Other errors are handed on.
func (f stackFile) refused(err error, prefix func(root string) string) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	var faults fault.Faults
	for _, one := range found {
		root, _ := splitKey(one.Path)
		faults.Join(prefix(root), one)
	}
	return placed(faults.Err(), f.path, f.root)
}

// inCluster is prefix for args that lie under one of the cluster's keys, but for those of the cluster itself.
func inCluster(key string) func(root string) string {
	return func(root string) string {
		if slices.Contains(clusterKeys(), root) {
			return clusterKey
		}
		return clusterKey + "." + key
	}
}

// clusterKeys are the keys of ClusterConfig that components have args for by themselves.
func clusterKeys() []string {
	return []string{"name", "infraID", "tags", "baseDomain", "baseDomainPrefix", "endpointAccess", "kmsKeyARN"}
}
