package author

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func newCommand(c *invocation.Invocation) *cobra.Command {
	var values newValues
	var infraJSON, iamJSON string
	var publicSubnets []string
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Write the file of a new stack",
		Long: `Writes Pulumi.<stack>.yaml with the values of the flags and a comment on each key. On a terminal it prompts for
missing required values. It never overwrites a file. The stack's name is the value of -s, otherwise the cluster's
name.

--kind capa writes the file of a self-managed cluster of Cluster API Provider AWS, for --name, --region, --zones, --vpc-cidr, --nat,
--tags, --kubernetes-version and --topology.

With --infra-json and --iam-json, which HyperShift's CLI wrote, the stack uses those existing resources: it checks
them, never changes them, and can create the hosted cluster on them.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := values.checkKind(cmd.Flags().Changed); err != nil {
				return err
			}
			if err := values.takeDocuments(infraJSON, iamJSON, publicSubnets); err != nil {
				return err
			}
			return runNew(c, values)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&values.kind, "kind", string(config.KindCluster), "the stack's `kind`: cluster, a hosted cluster, or capa")
	flags.StringVar(&values.name, "name", "", "the cluster's `name`")
	flags.StringVar(&values.kubernetesVersion, "kubernetes-version", "", "for --kind capa, the `version` of Kubernetes, such as v1.33.4")
	flags.StringVar(&values.topology, "topology", "", "for --kind capa, the `architecture`: Private or Public (default Private)")
	flags.StringVar(&values.infraID, "infra-id", "", "the `prefix` of all names in AWS (default: the name and five random characters)")
	flags.StringVar(&values.baseDomain, "base-domain", "", "the `domain` of an existing public hosted zone")
	flags.StringVar(&values.baseDomainPrefix, "base-domain-prefix", "", "the `prefix` of the cluster's domain; none for no prefix (default: the name)")
	flags.StringVar(&values.endpointAccess, "endpoint-access", "", "the endpoint access `mode`: Public, PublicAndPrivate or Private (default Public)")
	flags.StringVar(&values.region, "region", "", "the AWS `region`")
	flags.StringSliceVar(&values.zones, "zones", nil, "the availability `zones` (default: the region's first zone)")
	flags.StringVar(&values.vpcCIDR, "vpc-cidr", "", "the VPC's `CIDR`, /16 to /20 (default 10.0.0.0/16)")
	flags.StringVar(&values.nat, "nat", "", "the `strategy` for NAT gateways: PerZone, Single or None (default PerZone)")
	flags.StringVar(&values.oidcBucket, "oidc-bucket", "", "the `bucket` of the management cluster's OIDC documents")
	flags.StringVar(&values.oidcRegion, "oidc-region", "", "the bucket's `region` (default: the stack's)")
	flags.StringVar(&values.oidcIssuer, "oidc-issuer", "", "the issuer `URL` of an existing OIDC provider, instead of a bucket")
	flags.StringVar(&values.kmsKey, "kms-key", "", "the `ARN` of a key that encrypts secrets in etcd")
	flags.StringVar(&infraJSON, "infra-json", "", "the `file` that `hypershift create infra aws` wrote: its VPC is used as existing")
	flags.StringVar(&iamJSON, "iam-json", "", "the `file` that `hypershift create iam aws` wrote: its roles are used as existing")
	flags.StringSliceVar(&publicSubnets, "public-subnets", nil, "with --infra-json: the public `subnets` in the order of its zones, unless the mode is Private")
	flags.StringToStringVar(&values.tags, "tags", nil, "`tags` for every resource: team=platform,stage=test")
	flags.Lookup("tags").DefValue = "" // or the help says "default []"
	return cmd
}

func runNew(c *invocation.Invocation, values newValues) error {
	project, err := c.Project()
	if err != nil {
		return err
	}
	if err := complete(c, &values); err != nil {
		return err
	}
	name := c.Stack
	if name == "" {
		name = values.name
	}
	if name, err = project.ResolveStack(name); err != nil {
		return err
	}
	path := project.StackFile(name)
	if _, err := os.Stat(path); err == nil {
		return stackFileExists(path)
	}
	if values.kind == string(config.KindCluster) && values.infraID == "" {
		values.infraID = config.NewInfraID(values.name)
	}
	content := values.file()
	if err := check(content, name); err != nil {
		return err
	}
	if err := create(path, content); err != nil {
		return err
	}
	// The schema depends on the version of this program, so an older one is overwritten.
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), config.SchemaFile), config.Schema(), 0o644); err != nil {
		return fmt.Errorf("writing the JSON Schema of the stack's file: %w", err)
	}
	c.Say("wrote %s\nnext: `hypershift-aws preview -s %s --offline`", path, name)
	return nil
}

// complete prompts for missing required values, or returns an error that names them.
func complete(c *invocation.Invocation, values *newValues) error {
	if values.region == "" {
		values.region = c.Streams.Environ.Get("AWS_REGION")
	}
	var missing []string
	for _, n := range values.required(c.Stack) {
		if *n.value != "" || n.given {
			continue
		}
		if !c.Streams.Asks {
			missing = append(missing, n.flag)
			continue
		}
		question := n.question
		if n.answer != "" {
			question += " [" + n.answer + "]"
		}
		answer, err := c.Ask(question+": ", n.answer)
		if err != nil {
			return err
		}
		*n.value = answer
	}
	if len(missing) > 0 {
		return invocation.Refuse("a new stack needs %s", strings.Join(missing, ", "))
	}
	return nil
}

// requiredValue is a value that a new stack needs, with its flag and its prompt.
type requiredValue struct {
	value *string
	flag  string
	// question is the prompt on a terminal, and answer the default.
	question, answer string
	// given is true if another value replaces it.
	given bool
}

func (v *newValues) required(stack string) []requiredValue {
	if v.kind == string(config.KindCAPA) {
		return []requiredValue{
			{&v.name, "--name", "name of the cluster", stack, false},
			{&v.region, "--region", "AWS region", "us-east-1", false},
			{&v.kubernetesVersion, "--kubernetes-version", "version of Kubernetes, such as v1.33.4", "", false},
		}
	}
	return []requiredValue{
		{&v.name, "--name", "name of the hosted cluster", stack, false},
		{&v.region, "--region", "AWS region", "us-east-1", false},
		{&v.baseDomain, "--base-domain", "base domain (its public zone exists)", "", false},
		{&v.oidcBucket, "--oidc-bucket (or --oidc-issuer)", "bucket of the OIDC documents", "", v.oidcIssuer != ""},
	}
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
