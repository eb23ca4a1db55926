package pods_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// startInOwnNetwork runs the test in a new process: root needs a network namespace only, others get it in a user
// namespace.
func startInOwnNetwork(t *testing.T) bool {
	t.Helper()
	args := []string{"-test.run=^" + regexp.QuoteMeta(t.Name()) + "$", "-test.v"}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, args...)
	kind := networkAsRoot
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		kind = networkAsUser
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	var output strings.Builder
	command.Env, command.Stdout, command.Stderr = append(os.Environ(), inOwnNetwork+"="+kind), &output, &output
	if err := command.Start(); err != nil {
		t.Logf("NOT TESTED: without network: the kernel refuses a network namespace: %v", err)
		return false
	}
	err = command.Wait()
	t.Log(output.String())
	require.NoError(t, err)
	require.Contains(t, output.String(), "--- PASS: "+t.Name())
	return true
}

// mountReadOnly makes a root file system read-only except one folder, and gives it the system's /proc, for this
// process, which has its own mounts, and those that it starts. The returned function ends that.
func mountReadOnly(root, except string) (unmount func(), err error) {
	const private, bind = syscall.MS_REC | syscall.MS_PRIVATE, syscall.MS_BIND | syscall.MS_REC
	inside := filepath.Join(root, except)
	err = errors.Join(
		syscall.Mount("", "/", "", private, ""),
		syscall.Mount(root, root, "", bind, ""), syscall.Mount(inside, inside, "", bind, ""),
		syscall.Mount("/proc", filepath.Join(root, "proc"), "", bind, ""),
		syscall.Mount("", root, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""),
	)
	return func() {
		_ = syscall.Unmount(filepath.Join(root, "proc"), syscall.MNT_DETACH)
		_ = syscall.Unmount(inside, syscall.MNT_DETACH)
		_ = syscall.Unmount(root, syscall.MNT_DETACH)
	}, err
}

// raiseLoopback activates the loopback interface of this process's network namespace.
func raiseLoopback(t *testing.T) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Close(socket)) }()
	// A struct ifreq: the interface's name and its flags.
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request)))
	require.Zero(t, errno, "raising the loopback interface: %v", errno)
}
