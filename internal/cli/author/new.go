package author

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func newCommand(c *invocation.Invocation) *cobra.Command {
	var values newValues
	var infraJSON, iamJSON string
	var publicSubnets []string
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
	flags.StringVar(&values.kind, "kind", string(config.KindCluster),
		"the stack's `kind`: cluster, a hosted cluster, or its parts network and iam, nodePools for an existing one, management, or capa")
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
	flags.StringVar(&values.networkStack, "network-stack", "", "the `stack` of kind network with the cluster's network")
	flags.StringVar(&values.iamStack, "iam-stack", "", "the `stack` of kind iam with the cluster's issuer and roles")
	flags.StringVar(&values.management, "management", "", "the `stack` of kind management whose bucket, key and zone the cluster uses")
	flags.StringVar(&values.release, "release", "", "the `image` of the hosted cluster's release, whose pull secret is in pull-secret.json")
	flags.StringVar(&values.externalDNSDomain, "external-dns-domain", "",
		"the `domain` of the control plane's public names; for --kind management that of the zone of these names. It cannot be set later")
	flags.StringVar(&values.operatorIssuer, "operator-issuer", "", "for --kind management, the `URL` of the issuer of the management cluster's tokens")
	flags.StringVar(&infraJSON, "infra-json", "", "the `file` that `hypershift create infra aws` wrote: its VPC is used as existing")
	flags.StringVar(&iamJSON, "iam-json", "", "the `file` that `hypershift create iam aws` wrote: its roles are used as existing")
	flags.StringSliceVar(&publicSubnets, "public-subnets", nil, "with --infra-json: the public `subnets` in the order of its zones, unless the mode is Private")
	flags.StringToStringVar(&values.tags, "tags", nil, "`tags` for every resource: team=platform,stage=test")
	flags.Lookup("tags").DefValue = "" // or the help says "default []"
	cmd.MarkFlagsMutuallyExclusive("oidc-issuer", "oidc-bucket")
	cmd.MarkFlagsMutuallyExclusive("oidc-issuer", "oidc-region")
	for _, flag := range []string{"zones", "vpc-cidr", "nat"} {
		cmd.MarkFlagsMutuallyExclusive("infra-json", flag)
		cmd.MarkFlagsMutuallyExclusive("network-stack", flag)
	}
	for _, flag := range []string{"oidc-bucket", "oidc-region", "oidc-issuer", "iam-json"} {
		cmd.MarkFlagsMutuallyExclusive("iam-stack", flag)
		cmd.MarkFlagsMutuallyExclusive("management", flag)
	}
	cmd.MarkFlagsMutuallyExclusive("management", "kms-key")
	cmd.MarkFlagsMutuallyExclusive("network-stack", "infra-json")
	invocation.CompleteFlag(cmd, "kind", invocation.Fixed(newKinds...))
	invocation.CompleteFlag(cmd, "topology", invocation.Fixed(capa.Topologies()...))
	invocation.CompleteFlag(cmd, "endpoint-access", invocation.Fixed(hypershift.EndpointAccesses()...))
	invocation.CompleteFlag(cmd, "nat", invocation.Fixed(network.NATStrategies()...))
	invocation.CompleteRegion(cmd, "region", "oidc-region")
	return cmd
}

func runNew(c *invocation.Invocation, values newValues) error {
	project, err := c.Project()
	if err != nil {
		return err
	}
	if c.Stack != "" { // before any question
		if err := isNew(project, c.Stack); err != nil {
			return err
		}
	}
	values.takeNetworkStack(project)
	if err := complete(c, &values); err != nil {
		return err
	}
	name := cmp.Or(c.Stack, values.name, values.kind) // a management account has no name
	if err := isNew(project, name); err != nil {
		return err
	}
	path := project.StackFile(name)
	if !values.isKind(config.KindCAPA) && !values.isKind(config.KindNodePools) && !values.isKind(config.KindManagement) && values.infraID == "" {
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
	describe := ""
	switch secret := "the pull secret of the release as pull-secret.json beside the file; then run "; {
	case !values.isKind(config.KindCluster):
	case values.release == "":
		describe = "to let the stack create the cluster too, complete hostedCluster in the file, and save " + secret
	default:
		describe = "save " + secret
	}
	c.SayText(report.Sentence("wrote %s\nnext: ", path) + describe + report.Sentence("`hypershift-aws preview -s %s --offline`", name))
	if len(values.zones) == 0 && values.zoneList == "" && slices.ContainsFunc(flagKinds["zones"], values.isKind) && !values.hasZonesElsewhere() {
		c.Say("the stack has one zone, %sa: add others to zones in the file before the first up if the nodes must survive the loss of a zone", values.region)
	}
	return nil
}

// isNew returns an error if the name cannot be a stack's, or the stack has a file.
func isNew(project *project.Project, name string) error {
	name, err := project.ResolveStack(name)
	if err != nil {
		return err
	}
	path := project.StackFile(name)
	if _, err := os.Stat(path); err == nil {
		return stackFileExists(path)
	}
	return nil
}

// complete prompts for missing values on a terminal, and repeats a question until the answer is valid. Without a terminal it returns an error
// that names the missing required values.
func complete(c *invocation.Invocation, values *newValues) error {
	if c.Streams.Asks {
		return ask(c, values)
	}
	if values.region == "" {
		values.region = c.Streams.Environ.Get("AWS_REGION")
	}
	var missing []string
	for _, q := range values.questions(c.Stack, "") {
		if q.flag != "" && q.unanswered() {
			missing = append(missing, q.flag)
		}
	}
	if len(missing) > 0 {
		return invocation.Refuse("a new stack needs %s", strings.Join(missing, ", "))
	}
	return nil
}

// ask asks for the values that no flag has. The flags are checked as soon as the region is known, because they depend on it.
func ask(c *invocation.Invocation, values *newValues) error {
	checked := false
	for _, q := range values.questions(c.Stack, c.Streams.Environ.Get("AWS_REGION")) {
		if !checked && values.region != "" {
			if err := values.faults(""); err != nil {
				return err
			}
			checked = true
		}
		for asked := false; q.unanswered() && (!q.optional || !asked); asked = true {
			answer, err := c.Ask(q.text(values.region), q.standard(values.region))
			if q.optional && errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			if answer == "" || q.optional && answer == "none" {
				continue
			}
			*q.value = answer
			if err := values.faults(q.path); err != nil {
				c.Say("%s", err)
				*q.value = ""
			}
		}
	}
	return nil
}

// question is a value that a new stack needs, with its prompt on a terminal.
type question struct {
	value *string
	// flag is its flag in an error, "" for an optional value.
	flag string
	// prompt is the question, and answer the default; a prefix "region" of the default is replaced by the region.
	prompt, answer string
	// path is the key in the stack's file.
	path string
	// skip is true if another value replaces it.
	skip bool
	// optional is true if "none" is an answer.
	optional bool
	// after is a value without which the question is not asked, nil if it always is.
	after *string
}

func (q question) unanswered() bool {
	return *q.value == "" && !q.skip && (q.after == nil || *q.after != "")
}

// standard returns the default answer.
func (q question) standard(region string) string {
	return strings.Replace(q.answer, "region", region, 1)
}

func (q question) text(region string) string {
	if q.answer == "" {
		return q.prompt + ": "
	}
	return q.prompt + " [" + q.standard(region) + "]: "
}

// questions returns the questions in their order, with default answers for the name and the region.
func (v *newValues) questions(stack, inRegion string) []question {
	key := "hypershift-aws:" + cmp.Or(v.kind, string(config.KindCluster))
	name := question{&v.name, "--name", "name of the hosted cluster", stack, key + ".name", false, false, nil}
	region := question{&v.region, "--region", "AWS region, such as us-east-1", inRegion, "aws:region", false, false, nil}
	zones := question{&v.zoneList, "", "availability zones, separated by commas", "regiona", key + ".network.zones", len(v.zones) > 0 || v.hasZonesElsewhere(), false, nil}
	infraID := question{&v.infraID, "--infra-id", "infra ID, which the network stack's file has", "", key + ".infraID", v.networkStack == "" && !v.isKind(config.KindIAM), false, nil}
	domain := question{&v.baseDomain, "--base-domain", "base domain (its public zone exists)", "", key + ".baseDomain", false, false, nil}
	issuer := question{
		&v.oidcBucket, "--oidc-bucket (or --oidc-issuer)", "bucket of the OIDC documents", "", key + ".oidc.bucketName",
		v.oidcIssuer != "" || v.iamStack != "" || v.management != "", false, nil,
	}
	release := question{&v.release, "", "release image of the hosted cluster, such as quay.io/openshift-release-dev/ocp-release:4.20.1-multi; none to describe it later", "none",
		key + ".hostedCluster.release", false, true, nil}
	names := question{&v.externalDNSDomain, "", "domain of the control plane's public names, without which the cluster can never be moved to another management cluster", "none",
		key + ".hostedCluster.externalDNSDomain", v.management != "", true, &v.release}
	switch {
	case v.isKind(config.KindNodePools):
		return []question{name, region}
	case v.isKind(config.KindCAPA):
		name.prompt = "name of the cluster"
		return []question{name, region, zones, {
			&v.kubernetesVersion, "--kubernetes-version", "version of Kubernetes, such as v1.33.4", "", key + ".kubernetesVersion", false, false, nil,
		}}
	case v.isKind(config.KindManagement):
		issuer.path = key + ".oidcBucket.name"
		issuer.flag = "--oidc-bucket"
		operator := question{&v.operatorIssuer, "--operator-issuer", "issuer URL of the management cluster's service account tokens", "", key + ".operator.issuerURL", false, false, nil}
		names.prompt, names.path, names.skip = "domain of a public zone for the control planes' names, without which clusters can never be moved to another management cluster", key+".zone.domain", false
		names.after = nil
		return []question{region, issuer, operator, names}
	case v.isKind(config.KindNetwork):
		return []question{name, region, zones, domain}
	case v.isKind(config.KindIAM):
		network := question{&v.networkStack, "--network-stack", "stack of kind network with the cluster's network", "", key + ".networkStack", false, false, nil}
		return []question{network, name, region, infraID, issuer}
	}
	issuer.flag = "--oidc-bucket (or --oidc-issuer, or --management)"
	return []question{name, region, infraID, zones, domain, issuer, release, names}
}

// hasZonesElsewhere reports whether the zones come from another stack or an existing VPC.
func (v *newValues) hasZonesElsewhere() bool {
	return v.documents != nil || v.networkStack != "" || v.isKind(config.KindIAM)
}

// faults returns what is wrong with the values so far, as the stack's file would have it: a missing value is not a fault. With a path it returns only
// the faults of that key.
func (v newValues) faults(path string) error {
	for _, example := range []struct {
		value   *string
		instead string
	}{
		{&v.name, "demo"}, {&v.region, "us-east-1"}, {&v.baseDomain, "example.com"}, {&v.oidcBucket, "demo-oidc"}, {&v.kubernetesVersion, "v1.33.4"},
		{&v.networkStack, "net"}, {&v.operatorIssuer, "https://issuer.example.com"},
	} {
		if *example.value == "" && (example.value != &v.networkStack || v.isKind(config.KindIAM)) {
			*example.value = example.instead
		}
	}
	if v.infraID == "" {
		v.infraID = "demo-x1"
	}
	err := check(v.file(), "dev")
	found := fault.In(err)
	if found == nil || path == "" {
		return err
	}
	return slices.DeleteFunc(found, func(f *fault.Fault) bool { return !strings.HasPrefix(f.Path, path) }).Err()
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
