//go:build !linux

package engine

import "syscall"

// endWithParent does nothing: only Linux can end a process when its parent ends.
func endWithParent(*syscall.SysProcAttr) {}
