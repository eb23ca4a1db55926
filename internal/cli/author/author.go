// Package author contains the commands new, which writes a stack's file, and version.
package author

import (
	"fmt"
	"regexp"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Commands returns the commands of this package.
func Commands(c *invocation.Invocation) []*cobra.Command {
	return []*cobra.Command{newCommand(c), versionCommand(c)}
}

// versions is the output of `version`.
type versions struct {
	CLI string `json:"cli"`
	// Commit is the commit of the build, "" if Go did not record one; "-modified" is appended if files were changed.
	Commit string `json:"commit"`
	// SDK is the Pulumi SDK of the program, EngineRange the supported engine versions.
	SDK         string `json:"sdk"`
	EngineRange string `json:"engineRange"`
	// Engine and EnginePath are the version and the path of the engine that would be used, "" if there is none.
	Engine     string `json:"engine"`
	EnginePath string `json:"enginePath"`
}

func versionCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: invocation.Reference,
		Short:   "Show the version, the commit and usable Pulumi engines",
		Example: `  hypershift-aws version
  hypershift-aws version -o json | jq -r .commit`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := built()
			engine, missing := engine.Find(cmd.Context(), engine.Search{
				Environ:    c.Streams.Environ,
				Executable: c.Streams.Executable,
			})
			if missing == nil {
				v.Engine, v.EnginePath = "v"+engine.Version.String(), engine.Path
			}
			if c.JSON != nil {
				c.JSON.Write("version", v)
				return nil
			}
			fmt.Fprintf(c.Streams.Out, "hypershift-aws %s\n", v.CLI)
			if v.Commit != "" {
				fmt.Fprintf(c.Streams.Out, "commit         %s\n", v.Commit)
			}
			fmt.Fprintf(c.Streams.Out, "Pulumi SDK     %s\nengine range   %s\n", v.SDK, v.EngineRange)
			if missing != nil {
				fmt.Fprintln(c.Streams.Out, "engine         none")
				c.Say("%s", missing)
				return nil
			}
			fmt.Fprintf(c.Streams.Out, "engine         %s (%s)\n", v.Engine, v.EnginePath)
			return nil
		},
	}
}

// ShowVersion shows the version and the commit, without a search for an engine.
func ShowVersion(c *invocation.Invocation) {
	v := built()
	if c.JSON != nil {
		c.JSON.Write("version", v)
		return
	}
	fmt.Fprintf(c.Streams.Out, "hypershift-aws %s (commit %s)\n", v.CLI, v.Commit)
}

// pseudoVersion matches the commit, abbreviated, at the end of a version that Go derives from it.
var pseudoVersion = regexp.MustCompile(`[-.][0-9]{14}-([0-9a-f]{12})$`)

// built returns the versions that Go recorded when it built this program.
func built() versions {
	minimum := engine.Minimum()
	v := versions{
		CLI: stacks.Version, SDK: "v" + minimum.String(),
		EngineRange: fmt.Sprintf(">= v%s, < v%d.0.0", minimum, minimum.Major+1),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	modified := ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			v.Commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			modified = "-modified"
		}
	}
	if v.Commit != "" {
		v.Commit += modified
	} else if at := pseudoVersion.FindStringSubmatch(info.Main.Version); at != nil { // go install of a commit
		v.Commit = at[1]
	}
	return v
}
