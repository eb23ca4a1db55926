// Package terminal opens pseudo terminals, for tests of what is asked and shown there.
package terminal

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Terminal is the side of a pseudo terminal at which its user sits.
type Terminal struct{ *os.File }

// Open opens a pseudo terminal of Linux: what a program that has the slave as its files writes is read from the
// terminal.
func Open() (terminal *Terminal, slave *os.File, err error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	if err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	return &Terminal{master}, slave, err
}
