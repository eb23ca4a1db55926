package invocation

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// Streams is what a run of the command line gets from its surroundings.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Asks is whether there is somebody at a terminal to answer questions.
	Asks bool
	// Width is the width of the terminal that Err is, in columns; nil where it is none.
	Width func() int
	// Environ is the environment.
	Environ engine.Environ
	// Executable is the running program's path, "" where it is not known.
	Executable string
	// Dir is the folder that the program was started in.
	Dir string
}

// System is the process's own surroundings.
func System() Streams {
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}
	stderr := int(os.Stderr.Fd())
	if term.IsTerminal(stderr) {
		s.Asks = term.IsTerminal(int(os.Stdin.Fd()))
		s.Width = func() int {
			width, _, err := term.GetSize(stderr)
			if err != nil {
				return 80
			}
			return width
		}
	}
	s.Executable, _ = os.Executable()
	s.Dir, _ = os.Getwd()
	return s
}
