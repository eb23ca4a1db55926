package invocation

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// Streams is the environment of a run of the command line.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Asks is true if there is a terminal for prompts.
	Asks bool
	// Width is the width of the terminal Err, in columns; nil if Err is not a terminal.
	Width func() int
	// OutWidth is that of the terminal Out.
	OutWidth func() int
	// Environ is the environment.
	Environ engine.Environ
	// Executable is the running program's path, "" if unknown.
	Executable string
	// Dir is the working directory at the start.
	Dir string
	// WithoutGates are the names of gates that refuse nothing. Only tests set it.
	WithoutGates []string
}

// System returns the process's own environment.
func System() Streams {
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}
	s.Width, s.OutWidth = columns(os.Stderr), columns(os.Stdout)
	s.Asks = s.Width != nil && term.IsTerminal(int(os.Stdin.Fd()))
	s.Executable, _ = os.Executable()
	s.Dir, _ = os.Getwd()
	return s
}

// columns returns the width of a terminal, nil for another file.
func columns(file *os.File) func() int {
	fd := int(file.Fd())
	if !term.IsTerminal(fd) {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(fd)
		if err != nil || width == 0 {
			return 80
		}
		return width
	}
}
