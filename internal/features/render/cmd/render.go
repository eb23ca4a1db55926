// Package cmd has the command render.
package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Feature returns the command render.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "render", Commands: invocation.Adds(renderCommand)}
}

// renderOptions are the flags of render.
type renderOptions struct {
	automation.RenderOptions
	infraJSON, iamJSON string
}

func renderCommand(c *invocation.Invocation) *cobra.Command {
	var options renderOptions
	cmd := &cobra.Command{
		Use:     "render [DIR]",
		GroupID: invocation.WriteFiles,
		Short:   "Write the hosted cluster's objects as YAML",
		Long: `Writes the objects that cluster.hostedCluster describes, or those of a stack of kind capa, one file per
object, into a folder, or to stdout without a folder: for GitOps, or for kubectl apply. Network and roles are the stack's, or those of two documents that HyperShift's CLI wrote.
Secrets are omitted unless --secrets is given.

The key that encrypts etcd is never generated a second time: it is that of the stack, of the config or of the folder. Without one,
--secrets is refused unless --new-etcd-key is set, which is for a cluster that does not exist yet.`,
		Example: `  hypershift-aws render -s dev objects
  hypershift-aws render -s dev --secrets | kubectl apply -f -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Folder = strings.Join(args, "")
			return runRender(cmd.Context(), c, options)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&options.Secrets, "secrets", false, "write Secrets too")
	flags.BoolVar(&options.NewEtcdKey, "new-etcd-key", false, "generate the key that encrypts etcd if there is none: for a cluster that does not exist yet")
	flags.StringVar(&options.infraJSON, "infra-json", "", "the `file` that `hypershift create infra aws` wrote, in place of the stack's outputs")
	flags.StringVar(&options.iamJSON, "iam-json", "", "the `file` that `hypershift create iam aws` wrote, in place of the stack's outputs")
	return cmd
}

func runRender(ctx context.Context, c *invocation.Invocation, options renderOptions) error {
	if err := options.read(); err != nil {
		return err
	}
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	manifests, err := stack.Render(ctx, options.RenderOptions)
	if err != nil {
		return err
	}
	return write(c, options.Folder, manifests)
}

// read checks the flags and reads the documents.
func (o *renderOptions) read() error {
	if o.NewEtcdKey && !o.Secrets {
		return invocation.Refuse("--new-etcd-key is for --secrets: set --secrets too, or leave it out")
	}
	var err error
	o.Infra, o.IAM, err = invocation.ReadDocuments(o.infraJSON, o.iamJSON)
	return err
}

// write writes the files, and lists files that are no longer rendered. Only the user can read files with secrets.
func write(c *invocation.Invocation, dir string, manifests []automation.Manifest) error {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("creating the folder of the rendered objects: %w", err)
		}
	}
	written := map[string]bool{}
	for _, manifest := range manifests {
		text, err := manifest.YAML()
		if err != nil {
			return err
		}
		if dir == "" {
			c.Document()
			fmt.Fprintf(c.Streams.Out, "---\n%s", text)
			continue
		}
		write := atomicfile.Write
		if manifest.Object["kind"] == "Secret" {
			write = atomicfile.WritePrivate
		}
		if err := write(filepath.Join(dir, manifest.File), text); err != nil {
			return fmt.Errorf("writing the rendered objects: %w", err)
		}
		written[manifest.File] = true
	}
	if dir == "" {
		return nil
	}
	c.Say("wrote %s into %s", report.Number(len(written), "file"), dir)
	pools, err := filepath.Glob(filepath.Join(dir, "30-nodepool-*.yaml"))
	if err != nil {
		return err
	}
	for _, path := range pools {
		if !written[filepath.Base(path)] {
			c.Say("%s belongs to no node pool of this cluster: delete the file, or the pool remains", path)
		}
	}
	return nil
}
