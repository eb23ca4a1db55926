//go:build !linux

package kubelet

import (
	"errors"
	"os/exec"
)

var errLinux = errors.New("containers need Linux")

func (sandbox) command(string, int) (*exec.Cmd, error) { return nil, errLinux }

func (sandbox) become() error { return errLinux }

// Supported returns why this machine cannot run containers, nil if it can.
func Supported() error { return errLinux }
