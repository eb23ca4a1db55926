package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// versions is what `version` shows.
type versions struct {
	CLI string `json:"cli"`
	// SDK is the Pulumi SDK that the program is built with, and the oldest engine that will do.
	SDK string `json:"sdk"`
	// Engine and EnginePath are those of the engine that would be used, "" where there is none.
	Engine     string `json:"engine"`
	EnginePath string `json:"enginePath"`
}

func (c *invocation) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the versions of this program, of the Pulumi SDK and of the engine",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := c.project()
			if err != nil {
				return err
			}
			v := versions{CLI: buildVersion(), SDK: "v" + engine.Minimum().String()}
			engine, missing := engine.Find(cmd.Context(), c.engineSearch(project, false))
			if missing == nil {
				v.Engine, v.EnginePath = "v"+engine.Version.String(), engine.Path
			}
			if c.json != nil {
				c.json.write("version", v)
				return nil
			}
			fmt.Fprintf(c.streams.Out, "hypershift-aws %s\nPulumi SDK     %s\n", v.CLI, v.SDK)
			if missing != nil {
				fmt.Fprintln(c.streams.Out, "engine         none")
				c.say("%s", missing)
				return nil
			}
			fmt.Fprintf(c.streams.Out, "engine         %s (%s)\n", v.Engine, v.EnginePath)
			return nil
		},
	}
}

// buildVersion is the module's version as Go recorded it, with the commit of a build from a work tree.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return info.Main.Version
}
