// Package cmd has the command picture, and the flag --picture of up and preview.
package cmd

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Feature returns the command picture, and the flag --picture of up and preview.
func Feature() invocation.Feature {
	return invocation.Feature{
		Name:     "picture",
		Commands: invocation.Adds(pictureCommand),
		Up:       extendUp,
		Preview:  extendPreview,
	}
}

// extendUp draws the stack after its update.
func extendUp(c *invocation.Invocation, up *invocation.UpCommand) {
	file, check := addPicture(up.Command)
	up.Checks = append(up.Checks, check)
	up.Results = append(up.Results, func(ctx context.Context, result *automation.UpResult, _ error) error {
		if *file == "" || !result.Updated {
			return nil
		}
		return drawStack(ctx, c, *file, automation.PictureOptions{})
	})
}

// extendPreview draws the stack with its plan.
func extendPreview(c *invocation.Invocation, preview *invocation.PreviewCommand) {
	file, check := addPicture(preview.Command)
	preview.Checks = append(preview.Checks, check)
	preview.Results = append(preview.Results, func(_ context.Context, result *automation.PreviewResult, _ error) error {
		if *file == "" {
			return nil
		}
		return writePicture(c, *file, result.Picture())
	})
}

// addPicture adds the flag --picture, and returns its value and what checks it.
func addPicture(cmd *cobra.Command) (file *string, check func() error) {
	file = cmd.Flags().String("picture", "",
		"draw the stack and the plan into this `file`; its extension .html, .svg or .md is the format")
	return file, func() error {
		if *file == "" {
			return nil
		}
		return checkFile(*file)
	}
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
		if err := checkFile(options.file); err != nil {
			return err
		}
	}
	if options.fleet {
		return fleetPicture(ctx, c, options)
	}
	return drawStack(ctx, c, options.file, automation.PictureOptions{Planned: options.planned, Live: options.live})
}

// drawStack draws the stack of -s into a file, by default its name's.
func drawStack(ctx context.Context, c *invocation.Invocation, file string, options automation.PictureOptions) error {
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	drawn, err := stack.Picture(ctx, options)
	if err != nil {
		return err
	}
	return writePicture(c, cmp.Or(file, stack.Name+".html"), drawn)
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
	return writePage(c, options.file, page)
}
