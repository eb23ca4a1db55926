package kubelet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Image is the files and the settings of a container image. Its base is the machine's: its programs and libraries.
type Image struct {
	// Root is the folder with what the image adds to its base. Its folder usr/local takes the place of the machine's.
	Root string
	// Copied are the folders below the root that each container has a copy of, which it can write to; Shown are other
	// files that it reads.
	Copied, Shown []string
	// Env are its environment variables, NAME=VALUE.
	Env []string
	// Entrypoint precedes the arguments of a container without a command.
	Entrypoint []string
}

// base creates the targets of mounts below a root, and returns the mounts that every container has. image may be nil.
func base(root string, image *Image) (mounts []mount, err error) {
	add := func(source, target string) {
		info, statErr := os.Stat(source)
		if statErr != nil {
			return
		}
		err = errors.Join(err, makeTarget(filepath.Join(root, target), info.IsDir()))
		mounts = append(mounts, mount{Source: source, Target: target})
	}
	add("/usr", "/usr")
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib64", "/lib32"} {
		if link, linkErr := os.Readlink(dir); linkErr == nil {
			err = errors.Join(err, os.Symlink(link, filepath.Join(root, dir)))
			continue
		}
		add(dir, dir)
	}
	add("/etc/ssl", "/etc/ssl")
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"} {
		err = errors.Join(err, makeTarget(filepath.Join(root, device), false))
		mounts = append(mounts, mount{Source: device, Target: device, Writable: true})
	}
	err = errors.Join(err, makeTarget(filepath.Join(root, "proc"), true),
		write(filepath.Join(root, "etc/hosts"), "127.0.0.1 localhost\n"),
		write(filepath.Join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\noperator:x:1000:1000::/workspace/home:/bin/sh\n"))
	if image == nil {
		return mounts, err
	}
	if local := filepath.Join(image.Root, "usr/local"); exists(local) {
		mounts = append(mounts, mount{Source: local, Target: "/usr/local"})
	}
	for _, path := range image.Shown {
		add(filepath.Join(image.Root, path), path)
	}
	return mounts, err
}

// makeTarget creates a folder or a file that something is mounted over.
func makeTarget(path string, folder bool) error {
	if folder {
		return os.MkdirAll(path, 0o755) //nolint:gosec // as in any image
	}
	if exists(path) {
		return nil
	}
	return write(path, "")
}

func write(path, text string) error {
	//nolint:gosec // as in any image
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// copyTree copies files, folders and links.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o755) //nolint:gosec // as in any image
		case entry.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644) //nolint:gosec // as in any image
	})
}

// program returns the path of a sandbox's program in the container.
func (s sandbox) program() (string, error) {
	if strings.Contains(s.Args[0], "/") {
		return s.Args[0], nil
	}
	for _, entry := range s.Env {
		if path, is := strings.CutPrefix(entry, "PATH="); is {
			for _, dir := range filepath.SplitList(path) {
				if info, err := os.Stat(filepath.Join(dir, s.Args[0])); err == nil && info.Mode()&0o111 != 0 {
					return filepath.Join(dir, s.Args[0]), nil
				}
			}
		}
	}
	return "", &fs.PathError{Op: "searching PATH for", Path: s.Args[0], Err: fs.ErrNotExist}
}
