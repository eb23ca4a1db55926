//go:build !linux

package engine

import "syscall"

// endWithParent does nothing: only Linux ends a process with the one that started it.
func endWithParent(*syscall.SysProcAttr) {}
