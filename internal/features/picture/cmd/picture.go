// Package cmd has the command picture.
package cmd

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
)

// Feature returns the command picture.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "picture", Commands: func(c *invocation.Invocation, root *cobra.Command) {
		root.AddCommand(pictureCommand(c))
	}}
}

// pictureOptions are the flags of picture.
type pictureOptions struct {
	file                 string
	planned, live, fleet bool
}

func pictureCommand(c *invocation.Invocation) *cobra.Command {
	var options pictureOptions
	cmd := &cobra.Command{
		Use:     "picture",
		GroupID: invocation.InspectAStack,
		Short:   "Draw the stack's AWS resources as a page",
		Long: `Draws the stack's AWS resources like AWS's VPC resource map: the VPC, subnets by zone, route tables, gateways and endpoints,
PrivateLink and hosted zones; the accounts side by side; and who may do what, from service accounts to roles to what their policies reach.
Each box has its ID, CIDR and a link to AWS's console; pointing at a box highlights its path, and so does the Tab key. The page
loads no other files and contains no policy documents and no secrets. Its layers show broken paths (see hypershift-aws paths), the fixed cost and policy
violations.

--planned draws the stack as it would be after an update, with the changes. --live refreshes the state first, and draws the differences.
--fleet draws all stacks of the project, one row per stack, with the number of broken paths; with --live also the number of resources
that differ from AWS, without changing a state.`,
		Example: `  hypershift-aws picture -s dev
  hypershift-aws picture -s dev --planned -f plan.svg
  hypershift-aws picture --fleet -f fleet.html`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPicture(cmd.Context(), c, options) },
	}
	cmd.Flags().StringVarP(&options.file, "file", "f", "", "the `file` to write; its extension .html, .svg or .md is the format (default: <stack>.html)")
	cmd.Flags().BoolVar(&options.planned, "planned", false, "draw the stack as it would be after an update")
	cmd.Flags().BoolVar(&options.live, "live", false, "refresh the state first, and draw what differed")
	cmd.Flags().BoolVar(&options.fleet, "fleet", false, "draw all stacks of the project, one row per stack")
	cmd.MarkFlagsMutuallyExclusive("planned", "live")
	cmd.MarkFlagsMutuallyExclusive("planned", "fleet")
	c.AddPrices(cmd)
	return cmd
}

func runPicture(ctx context.Context, c *invocation.Invocation, options pictureOptions) error {
	if options.file != "" {
		if err := view.CheckPictureFile(options.file); err != nil {
			return err
		}
	}
	if options.fleet {
		return fleetPicture(ctx, c, options)
	}
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	drawn, err := stack.Picture(ctx, automation.PictureOptions{Planned: options.planned, Live: options.live})
	if err != nil {
		return err
	}
	if options.file == "" {
		options.file = stack.Name + ".html"
	}
	return view.WritePicture(c, options.file, drawn)
}

// fleetPicture draws all stacks that have a state.
func fleetPicture(ctx context.Context, c *invocation.Invocation, options pictureOptions) error {
	if options.file == "" {
		options.file = "stacks.html"
	}
	if filepath.Ext(options.file) != ".html" {
		return invocation.Refuse("a picture of all stacks is a page: use a file that ends with .html, not %s", options.file)
	}
	project, err := c.AutomationProject()
	if err != nil {
		return err
	}
	page, err := project.Picture(ctx, options.live)
	if err != nil {
		return err
	}
	return view.WritePage(c, options.file, page)
}
