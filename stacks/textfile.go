package stacks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// textFile is a config value that is given as a text under one key or, under another, as the name of a file
// that holds it.
type textFile struct {
	// path is where the two keys are.
	path          string
	key, fileKey  string
	text, fileRef *string
}

// textFiles are the cluster's.
func (c *ClusterConfig) textFiles() []textFile {
	var files []textFile
	if p := c.Network.Proxy; p != nil {
		files = append(files, textFile{"network.proxy", "ca", "caFile", &p.CA, &p.CAFile})
	}
	if b := c.Network.Bastion; b != nil {
		files = append(files, textFile{"network.bastion", "sshKey", "sshKeyFile", &b.SSHKey, &b.SSHKeyFile})
	}
	return files
}

// readFiles reads the files that the config names, relative to dir, and returns a fault for each that cannot
// be read.
func (c *ClusterConfig) readFiles(dir string) error {
	var faults fault.Faults
	for _, file := range c.textFiles() {
		faults.Join(file.path, file.read(dir))
	}
	if c.HostedCluster != nil {
		// Its secrets are read where they are needed.
		c.HostedCluster.dir = dir
	}
	return faults.Err()
}

func (f textFile) read(dir string) error {
	name := *f.fileRef
	if name == "" {
		return nil
	}
	if *f.text != "" {
		return &fault.Fault{Path: f.fileKey, Value: name, Problem: "stands beside " + f.key + ", which is the same", Remedy: "leave one of them out"}
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return &fault.Fault{Path: f.fileKey, Value: *f.fileRef, Problem: "cannot be read: " + reason(err),
			Remedy: "give a file, by its path from the stack's file"}
	}
	*f.text = string(text)
	return nil
}

// reason is why a file cannot be read, without its path.
func reason(err error) string {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return err.Error()
}

// blame gives the faults of texts that were read from files the key and the name of the file.
func (c *ClusterConfig) blame(err error) fault.Faults {
	faults := fault.In(err)
	for _, f := range faults {
		for _, file := range c.textFiles() {
			if name := *file.fileRef; name != "" && f.Path == dotted(file.path, file.key) {
				f.Path, f.Value = dotted(file.path, file.fileKey), name
			}
		}
	}
	return faults
}

// stackDir is the folder of the stack files of the project in root: root itself, unless its Pulumi.yaml names
// another.
func stackDir(root string) string {
	var project struct {
		StackConfigDir string `yaml:"stackConfigDir"`
	}
	// An engine that runs the project has read the file; where none does, there may be no file.
	if text, err := os.ReadFile(filepath.Join(root, "Pulumi.yaml")); err == nil {
		_ = yaml.Unmarshal(text, &project)
	}
	return filepath.Join(root, project.StackConfigDir)
}
