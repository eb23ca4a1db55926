package author

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func newCommand(c *invocation.Invocation) *cobra.Command {
	var values newValues
	cmd := &cobra.Command{
		Use:     "new",
		GroupID: invocation.WriteFiles,
		Short:   "Write the file of a new stack",
		Long: `Writes Pulumi.<stack>.yaml with the values of the flags and a comment on each key. On a terminal it prompts for
missing required values. It never overwrites a file. The stack's name is the value of -s, otherwise the cluster's
name.

--kind capa writes the file of a self-managed cluster of Cluster API Provider AWS, for --name, --region, --zones, --vpc-cidr, --nat,
--tags, --kubernetes-version and --topology.

--kind network and --kind iam write the files of a hosted cluster's network and of its roles, as stacks of their own.
--network-stack and --iam-stack name them in the files of the stacks that use them; the cluster's name, infra ID,
domain and region are those of the network stack's file.

--kind management writes the file of a management account: --oidc-bucket and --operator-issuer. --management names its stack in a cluster's file.
With --release the file also describes the hosted cluster itself; otherwise it has that section as a comment.

--kind nodePools writes the file of node pools for the HostedCluster --name, which another stack or tool owns.

With --infra-json and --iam-json, which HyperShift's CLI wrote, the stack uses those existing resources: it checks
them, never changes them, and can create the hosted cluster on them.`,
		Example: `  hypershift-aws new
  hypershift-aws new --kind management --region us-east-1 \
    --oidc-bucket demo-oidc --operator-issuer https://oidc.example.com/m
  hypershift-aws new --name demo --region us-east-1 \
    --base-domain example.com --management management
  hypershift-aws new -s dev --name demo --region us-east-1 \
    --zones us-east-1a,us-east-1b,us-east-1c \
    --base-domain example.com --oidc-bucket demo-oidc
  hypershift-aws new --kind capa --name demo --region us-east-1 \
    --kubernetes-version v1.33.4
  hypershift-aws new --kind network -s net --name demo \
    --region us-east-1 --zones us-east-1a --base-domain example.com
  hypershift-aws new --kind iam -s roles --network-stack net \
    --oidc-bucket demo-oidc
  hypershift-aws new -s dev --network-stack net --iam-stack roles
  hypershift-aws new --kind nodePools -s gpu --name demo \
    --region us-east-1`,
	}
	flags := addFlags(cmd, &values)
	cmd.RunE = func(*cobra.Command, []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		if err := values.takeDocuments(); err != nil {
			return err
		}
		return runNew(c, values, flags)
	}
	return cmd
}

func runNew(c *invocation.Invocation, values newValues, flags *kindFlags) error {
	project, err := c.Project()
	if err != nil {
		return err
	}
	if c.Stack != "" { // before any question
		if err := isNew(project, c.Stack); err != nil {
			return err
		}
	}
	values.takeNetworkStack(project, flags)
	if err := complete(c, &values); err != nil {
		return err
	}
	name := cmp.Or(c.Stack, values.name, values.kind) // a management account has no name
	if err := isNew(project, name); err != nil {
		return err
	}
	if values.infraID == "" && flags.belong("infra-id") {
		values.infraID = config.NewInfraID(values.name)
	}
	path := project.StackFile(name)
	if err := write(path, values.file(), name); err != nil {
		return err
	}
	before := ""
	if kind := values.newKind(); kind.next != nil {
		before = kind.next(values)
	}
	c.SayText(report.Sentence("wrote %s\nnext: ", path) + before +
		report.Sentence("`hypershift-aws --offline preview -s %s`", name))
	if len(values.zones) == 0 && values.zoneList == "" && flags.belong("zones") && !values.hasZonesElsewhere() {
		c.Say("the stack has one zone, %sa: add others to zones in the file before the first up if the nodes must survive the loss of a zone", values.region)
	}
	return nil
}

// write writes a stack's file, if it is valid, and the schema that it names.
func write(path, content, stack string) error {
	if err := check(content, stack); err != nil {
		return err
	}
	if err := create(path, content); err != nil {
		return err
	}
	// The schema depends on the version of this program, so an older one is overwritten.
	schema := filepath.Join(filepath.Dir(path), config.SchemaFile)
	if err := atomicfile.WriteInto(schema, config.Schema(), 0o644); err != nil {
		return fmt.Errorf("writing the JSON Schema of the stack's file: %w", err)
	}
	return nil
}

// isNew returns an error if the name cannot be a stack's, or the stack has a file.
func isNew(project *project.Project, name string) error {
	name, err := project.SelectStack(name)
	if err != nil {
		return err
	}
	path := project.StackFile(name)
	if _, err := os.Stat(path); err == nil {
		return stackFileExists(path)
	}
	return nil
}

// check validates a stack's file, in a temporary folder, before it is written into the project.
func check(content, stack string) error {
	dir, err := os.MkdirTemp("", "hypershift-aws-new-")
	if err != nil {
		return fmt.Errorf("creating a folder to check the new file: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := create(filepath.Join(dir, "Pulumi."+stack+".yaml"), content); err != nil {
		return err
	}
	_, err = stacks.LoadFile(dir, stack)
	faults := fault.In(err)
	if faults == nil {
		return err
	}
	for _, f := range faults {
		f.File, f.Line = "", 0
	}
	return faults
}

func create(path, content string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return stackFileExists(path)
	}
	if err == nil {
		_, err = file.WriteString(content)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("writing the stack's file: %w", err)
	}
	return nil
}

func stackFileExists(path string) error {
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: path + " exists and was not changed",
		Remedy:  "use another name with -s, or edit the file",
	}
}
