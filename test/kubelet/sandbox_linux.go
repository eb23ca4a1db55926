package kubelet

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// command returns the first process of a container, which an executable that calls Main becomes: it has its own mounts,
// processes and users. In the container it is the given user, outside the user of this process.
func (s sandbox) command(executable string, user int) (*exec.Cmd, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	c := exec.Command(executable)
	c.Env = []string{inSandbox + "=" + string(text)}
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS |
			syscall.CLONE_NEWIPC,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT},
		Pdeathsig:   syscall.SIGKILL,
	}
	return c, nil
}

// become arranges the container's files and runs its program in place of this process. It returns only an error.
func (s sandbox) become() error {
	const recursive = syscall.MS_BIND | syscall.MS_REC
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("own mounts: %w", err)
	}
	if err := syscall.Mount(s.Root, s.Root, "", recursive, ""); err != nil {
		return fmt.Errorf("mounting the root: %w", err)
	}
	for _, m := range s.Mounts {
		target := filepath.Join(s.Root, m.Target)
		if err := syscall.Mount(m.Source, target, "", recursive, ""); err != nil {
			return fmt.Errorf("mounting %s at %s: %w", m.Source, m.Target, err)
		}
		if m.Writable {
			continue
		}
		if err := readOnly(target); err != nil {
			return fmt.Errorf("mounting %s read-only: %w", m.Target, err)
		}
	}
	if err := syscall.Mount("proc", filepath.Join(s.Root, "proc"), "proc", 0, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	if err := readOnly(s.Root); err != nil {
		return fmt.Errorf("mounting the root read-only: %w", err)
	}
	if err := syscall.Sethostname([]byte(s.Hostname)); err != nil {
		return fmt.Errorf("naming the host: %w", err)
	}
	if err := syscall.Chroot(s.Root); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := os.Chdir(s.Dir); err != nil {
		return fmt.Errorf("changing the working directory: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("refusing privileges: %w", err)
	}
	path, err := s.program()
	if err != nil {
		return err
	}
	return fmt.Errorf("running %s: %w", path, syscall.Exec(path, s.Args, s.Env))
}

// readOnly makes a mount read-only, with its other flags.
func readOnly(target string) error {
	var stat unix.Statfs_t
	if err := unix.Statfs(target, &stat); err != nil {
		return err
	}
	flags := uintptr(syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY)
	for is, flag := range map[int64]uintptr{
		unix.ST_NOSUID: syscall.MS_NOSUID, unix.ST_NODEV: syscall.MS_NODEV, unix.ST_NOEXEC: syscall.MS_NOEXEC,
		unix.ST_NOATIME: syscall.MS_NOATIME, unix.ST_NODIRATIME: syscall.MS_NODIRATIME, unix.ST_RELATIME: syscall.MS_RELATIME,
	} {
		if stat.Flags&is != 0 {
			flags |= flag
		}
	}
	return syscall.Mount("", target, "", flags, "")
}

// Supported returns why this machine cannot run containers, nil if it can.
func Supported() error {
	root, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }()
	c, err := probe(root)
	if err != nil {
		return err
	}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// probe returns a container that runs the machine's "true".
func probe(root string) (*exec.Cmd, error) {
	s := sandbox{Root: root, Hostname: "probe", Dir: "/", Args: []string{"true"}, Env: []string{"PATH=" + defaultPath}}
	var err error
	if s.Mounts, err = base(root, nil); err != nil {
		return nil, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return s.command(executable, 1000)
}
