// Package terminal opens pseudo terminals, for tests of what is asked and shown there.
package terminal

import (
	"bytes"
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

// Read reads what a program has written. A program that asks where the cursor is gets an answer, as it does from each
// terminal that people use: the libraries of Pulumi's SDK ask when a program starts, and wait five seconds for it.
func (t *Terminal) Read(buffer []byte) (int, error) {
	n, err := t.File.Read(buffer)
	if bytes.Contains(buffer[:n], []byte("\x1b[6n")) {
		if _, err := t.WriteString("\x1b[1;1R"); err != nil {
			return n, err
		}
	}
	return n, err
}
