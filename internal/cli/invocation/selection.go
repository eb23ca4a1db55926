package invocation

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// selection has the flags that select a project, a stack and an account.
type selection struct {
	// Dirs, Stack and Offline are the flags of these names; Dirs is empty for the working directory.
	Dirs    []string
	Stack   string
	Offline bool
	// PricesFile is the flag --prices of the commands that have it.
	PricesFile string

	backend      string
	emptyAccount bool
	debug        bool
	unreadStacks []string
}

// AddUnreadStack adds the flag of the commands that must know what other stacks use.
func (s *selection) AddUnreadStack(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.unreadStacks, strings.TrimPrefix(gate.UnreadFlag, "--"), nil,
		"the `name` of a stack that cannot be read and does not use what the command changes; repeatable")
}

// AddPrices adds the flag for a file of prices, which ProjectOptions passes on.
func (s *selection) AddPrices(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.PricesFile, "prices", "", "a `file` of prices, which override those in this program (see hypershift-aws prices)")
}

// Project opens the project of -C.
func (s *selection) Project() (*project.Project, error) {
	if len(s.Dirs) > 1 {
		return nil, s.manyFolders()
	}
	return project.Open(s.Folder())
}

func (s *selection) manyFolders() error {
	return Refuse("-C is set %d times: only the commands of fleet accept several folders", len(s.Dirs))
}

// Folder returns the first folder of -C, or "." without one.
func (s *selection) Folder() string {
	if len(s.Dirs) == 0 {
		return "."
	}
	return s.Dirs[0]
}

// SharedArgs returns the flags shared by all commands in the form of a command line, except -C, -s, -o and --yes.
func (s *selection) SharedArgs() []string {
	var args []string
	if s.Offline {
		args = append(args, "--offline")
	}
	if s.emptyAccount {
		args = append(args, "--offline-empty")
	}
	if s.debug {
		args = append(args, "--debug")
	}
	if s.backend != "" {
		args = append(args, "--backend", s.backend)
	}
	if s.PricesFile != "" {
		args = append(args, "--prices", s.PricesFile)
	}
	return args
}
