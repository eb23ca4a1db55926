package engine

import "syscall"

// endWithParent has the system kill the process when the thread ends that starts it.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
