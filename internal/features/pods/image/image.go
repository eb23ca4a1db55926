// Package image assembles the root file system that the Containerfile adds to its base: the image in which the Pulumi
// Kubernetes Operator runs stacks. It needs no container engine, so that tests run stacks in the same files.
package image

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
)

// Places in the image.
const (
	// Workspace is the only folder that the image's user can write to. It has the project in Program, the engine's home
	// and temporary files.
	Workspace = "workspace"
	Program   = Workspace + "/program"
	Home      = Workspace + "/home"
	Temporary = Workspace + "/tmp"
	// Programs are found on PATH; Engine is behind the program of this module that has its name there.
	Programs = "usr/local/bin"
	Engine   = "usr/local/libexec/pulumi"
	plugins  = "usr/local/lib/pulumi/plugins"
)

// Options are the parts of an image.
type Options struct {
	// Binary is the CLI, EnginePath the engine.
	Binary, EnginePath string
	// Plugins is a folder of the engine's plugins, including Providers. "" leaves them out.
	Plugins   string
	Providers []languagehost.Provider
	// Project is the name of the project under which the backend has the stacks.
	Project string
}

// Assemble writes the files into an empty folder. They belong to this process's user: those in Workspace must be given
// to the image's.
func Assemble(root string, o Options) error {
	if err := o.complete(); err != nil {
		return err
	}
	for _, dir := range []string{Programs, filepath.Dir(Engine), plugins, Program, Home + "/.pulumi", Temporary} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil { //nolint:gosec // as in any image
			return fmt.Errorf("assembling the image: %w", err)
		}
	}
	err := errors.Join(copyProgram(o.Binary, filepath.Join(root, Programs, "hypershift-aws")),
		copyProgram(o.EnginePath, filepath.Join(root, Engine)))
	if o.Plugins != "" {
		err = errors.Join(err, os.CopyFS(filepath.Join(root, plugins), os.DirFS(o.Plugins)))
	}
	for _, name := range []string{engine.Executable, languagehost.Executable} {
		err = errors.Join(err, os.Symlink("hypershift-aws", filepath.Join(root, Programs, name)))
	}
	err = errors.Join(err, os.Symlink("/"+plugins, filepath.Join(root, Home, ".pulumi", "plugins")),
		//nolint:gosec // no secret
		os.WriteFile(filepath.Join(root, Program, "Pulumi.yaml"),
			fmt.Appendf(nil, "name: %s\nruntime: %s\n", o.Project, languagehost.Runtime), 0o644))
	if err != nil {
		return fmt.Errorf("assembling the image: %w", err)
	}
	return nil
}

// complete fails if a provider's plugin is missing.
func (o Options) complete() error {
	if o.Plugins == "" {
		return nil
	}
	if len(o.Providers) == 0 {
		return errors.New("it is not known which plugins the CLI needs")
	}
	for _, provider := range o.Providers {
		dir := fmt.Sprintf("resource-%s-%s", provider.Name, provider.Version)
		if _, err := os.Stat(filepath.Join(o.Plugins, dir, "pulumi-resource-"+provider.Name)); err != nil {
			return fmt.Errorf("%s has no %s, and a pod would have to download it: install it with `pulumi plugin install`, or build the image without plugins",
				o.Plugins, dir)
		}
	}
	return nil
}

// ProvidersOf returns the providers whose SDKs a CLI was built with.
func ProvidersOf(binary string) ([]languagehost.Provider, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("reading the versions of the providers: %w", err)
	}
	return languagehost.ProvidersOf(info), nil
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) //nolint:gosec // a program
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Size returns the size in bytes of the files below a folder.
func Size(root string) (int64, error) {
	var size int64
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
