package test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// startInOwnNetwork runs the test in a new process: root needs a network namespace only, others get it in a user namespace.
func startInOwnNetwork(t *testing.T) bool {
	t.Helper()
	command := exec.Command(executable(t), "-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.v")
	kind := networkAsRoot
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
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
	err := command.Wait()
	t.Log(output.String())
	require.NoError(t, err)
	require.Contains(t, output.String(), "--- PASS: "+t.Name())
	return true
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
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	require.Zero(t, errno, "raising the loopback interface: %v", errno)
}
