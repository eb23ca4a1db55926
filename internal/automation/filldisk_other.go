//go:build !linux

package automation

// fillDisk does nothing: only Linux can limit the files of a process that runs.
func fillDisk(int) {}
