package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pko"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

func renderPKOCommand(c *invocation.Invocation) *cobra.Command {
	var o pko.Options
	var selects []string
	cmd := &cobra.Command{
		Use:   "pko DIR",
		Short: "Write the objects of the Pulumi Kubernetes Operator",
		Long: `Writes a Stack of the Pulumi Kubernetes Operator (pulumi.com/v1) for each stack, with its config and its service account, and the
namespace and network policy that they share, one file each, for ` + "`kubectl apply -f DIR`" + ` or GitOps. Secrets are never written: encrypted
values are read from the Secret STACK-config, whose keys are the config's keys with a dot instead of each colon, such as hypershift-aws.policy.

The image makes the checks of up and destroy, recovers, and sweeps in each pod: see docs/embedding.md.`,
		Example: `  hypershift-aws render pko objects \
    --image registry.example.com/hypershift-aws:v0.1.0 \
    --role-arn arn:aws:iam::123456789012:role/hypershift-aws \
    --backend s3://states \
    --secrets-provider 'awskms://alias/states?region=us-east-1'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Backend, _ = cmd.Flags().GetString("backend") // a flag of all commands
			return runRenderPKO(c, args[0], selects, o)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&selects, "select", nil, "select stacks by an `expression`, as in fleet up")
	flags.StringVar(&o.Image, "image", "", "the `image` of the pods, built from the project's Containerfile (required)")
	flags.StringVar(&o.RoleARN, "role-arn", "",
		"the `ARN` of the IAM role that the pods' service accounts assume (required)")
	flags.StringVar(&o.SecretsProvider, "secrets-provider", "",
		"the `URL` of the key that encrypts secrets in states, such as awskms://alias/NAME?region=us-east-1; required unless --backend is a Pulumi Cloud")
	flags.StringVar(&o.Organization, "organization", "", "the stacks' `organization` in a Pulumi Cloud")
	flags.StringVar(&o.Namespace, "namespace", "pulumi-stacks", "the `namespace` of the objects")
	flags.StringVar(&o.ServiceAccount, "service-account", "hypershift-aws",
		"the `prefix` of the name of each stack's service account, PREFIX-STACK")
	flags.StringVar(&o.Program, "program", "/workspace/program", "the `folder` in the image that contains Pulumi.yaml")
	flags.StringVar(&o.EnvSecret, "env-secret", "", "a `Secret` whose keys are environment variables of the pods, for config of the form {env: NAME}")
	flags.BoolVar(&o.DestroyOnFinalize, "destroy-on-finalize", false,
		"destroy a stack when its object is deleted; the gates of destroy refuse it while the cluster may be alive, unless the file has unprotected: true")
	flags.BoolVar(&o.Roles, "roles", false,
		"also write the roles that the pods' service accounts need in the operator's cluster, for stacks with kubeconfig: {}, and the namespaces, to be applied first")
	flags.Int64Var(&o.Resync, "resync", 86400, "how often each stack is compared with AWS, in `seconds`")
	return cmd
}

func runRenderPKO(c *invocation.Invocation, dir string, selects []string, o pko.Options) error {
	members, err := selected(c, selects)
	if err != nil {
		return err
	}
	var toRender []pko.Stack
	for _, m := range members {
		text, err := atomicfile.ReadInput(m.Path)
		if err != nil {
			return fmt.Errorf("reading the config of stack %s: %w", m.Stack, err)
		}
		rendered := pko.Stack{Name: m.Stack, Path: m.Path, Text: text, Management: m.Management, Parts: m.Parts}
		if o.Roles {
			file, err := stacks.LoadFile(m.Dir, m.Stack)
			if err != nil {
				return err
			}
			rendered.Section = file.Section
		}
		toRender = append(toRender, rendered)
	}
	files, err := pko.Render(toRender, o)
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := file.YAML()
		if err != nil {
			return err
		}
		path := filepath.Join(dir, file.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing the objects: %w", err)
		}
		if err := atomicfile.Write(path, text); err != nil {
			return fmt.Errorf("writing the objects: %w", err)
		}
		c.Say("wrote %s", path)
	}
	return nil
}

// selected returns the stacks that match one of the expressions. A stack whose file has faults is refused.
func selected(c *invocation.Invocation, expressions []string) ([]fleetrun.Member, error) {
	selector, err := fleet.ParseSelector(expressions)
	if err != nil {
		return nil, err
	}
	folders, err := fleet.Folders(c.Dirs)
	if err != nil {
		return nil, err
	}
	members, faulty, err := fleet.Load(folders)
	if err != nil {
		return nil, err
	}
	var faults fault.Faults
	var met []fleetrun.Member
	for _, m := range members {
		if !selector.Matches(m) {
			continue
		}
		met = append(met, m)
		faults = append(faults, faulty[m.ID]...)
	}
	if len(met) == 0 {
		return nil, errors.Join(faults.Err(), invocation.Refuse("no stack is selected: correct --select or -C"))
	}
	return met, faults.Err()
}
