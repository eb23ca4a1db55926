package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/adopt"
	"github.com/hypershift-aws/hypershift-aws/internal/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/project"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// adoptFlags are the flags of adopt.
type adoptFlags struct {
	adopt.Options
	own, owner         adopt.Access
	endpointAccess     string
	infraJSON, iamJSON string
	defaultGroup       string
	ids, allowCreate   []string
	preview            bool
}

func adoptCommand(c *invocation.Invocation) *cobra.Command {
	var flags adoptFlags
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Adopt existing AWS resources into a stack",
		Long: `Adopts existing AWS resources, such as those that HyperShift's CLI created, into a stack: nothing is replaced, deleted or interrupted.

If the stack has no file, the command searches the account for the cluster of --infra-id in --region, by the tag
kubernetes.io/cluster/<infra ID>=owned, and writes Pulumi.<stack>.yaml, with a comment at each value that is not certain. Documents
of HyperShift's CLI (--infra-json, --iam-json) are compared with the account. An existing file, of any kind of stack, is used as it is.

With --preview the command shows how long it takes and, resource by resource, what is imported unchanged, updated in place, created
and not adopted, and changes nothing in AWS. Without --preview it prompts for confirmation and carries that out. A plan that replaces or
deletes a resource, or creates a resource that an existing cluster should have, is refused as a whole. After an interruption, run adopt
again to continue. See docs/adopt.md.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runAdopt(cmd.Context(), c, flags) },
	}
	f := cmd.Flags()
	f.BoolVar(&flags.preview, "preview", false, "show what would happen, and change nothing in AWS")
	f.StringVar(&flags.InfraID, "infra-id", "", "the cluster's infra `ID`, if the stack has no file")
	f.StringVar(&flags.Region, "region", "", "the cluster's `region` (default: that of the infra document, or the environment's)")
	f.StringVar(&flags.infraJSON, "infra-json", "", "the `file` that `hypershift create infra aws` wrote")
	f.StringVar(&flags.iamJSON, "iam-json", "", "the `file` that `hypershift create iam aws` wrote")
	f.StringVar(&flags.Name, "name", "", "the hosted cluster's `name`, if it cannot be found in the account")
	f.StringVar(&flags.endpointAccess, "endpoint-access", "", "the cluster's `mode`: Public, PublicAndPrivate or Private (default: what the account has)")
	f.StringVar(&flags.Management, "management", "", "the management `stack` whose OIDC issuer and KMS key the cluster uses")
	f.StringVar(&flags.own.Profile, "profile", "", "the `profile` of the credentials (default: the environment's)")
	f.StringVar(&flags.own.RoleARN, "role-arn", "", "the `ARN` of a role to assume in the cluster's account")
	f.StringVar(&flags.owner.Profile, "vpc-owner-profile", "", "the `profile` for the account that owns a shared VPC")
	f.StringVar(&flags.owner.RoleARN, "vpc-owner-role", "", "the `ARN` of a role to assume in the account that owns a shared VPC")
	f.StringVar(&flags.defaultGroup, "default-security-group", "", "what to do with the rules of the VPC's default security group: `keep` or revoke")
	f.StringArrayVar(&flags.ids, "id", nil, "adopt a resource by its import ID, `type:name=ID`, such as Vpc:network-vpc=vpc-0123456789abcdef0; repeatable")
	f.StringArrayVar(&flags.allowCreate, "allow-create", nil, "create the resource with this `name`, although an existing cluster should have it; repeatable")
	invocation.CompleteFlag(cmd, "endpoint-access", invocation.Fixed("Public", "PublicAndPrivate", "Private"))
	invocation.CompleteFlag(cmd, "default-security-group", invocation.Fixed("keep", "revoke"))
	return cmd
}

// read checks the flags and reads the documents.
func (f *adoptFlags) read() error {
	f.EndpointAccess = hypershift.EndpointAccess(f.endpointAccess)
	switch {
	case f.endpointAccess != "" && f.EndpointAccess.Validate() != nil:
		return invocation.Refuse("--endpoint-access %s: use Public, PublicAndPrivate or Private", f.endpointAccess)
	case f.defaultGroup != "" && f.defaultGroup != "keep" && f.defaultGroup != "revoke":
		return invocation.Refuse("--default-security-group %s: use keep or revoke", f.defaultGroup)
	case (f.infraJSON == "") != (f.iamJSON == ""):
		return invocation.Refuse("--infra-json and --iam-json must be used together")
	case f.InfraID != "" && !infraIDPattern.MatchString(f.InfraID):
		return invocation.Refuse("--infra-id %s is not an infra ID: use the whole ID, in lower case, such as demo-x7k2p", f.InfraID)
	}
	f.KeepDefaultGroup = f.defaultGroup == "keep"
	for _, pair := range f.ids {
		name, id, _ := strings.Cut(pair, "=")
		if token, name, _ := strings.Cut(name, ":"); token == "" || name == "" || id == "" {
			return invocation.Refuse("--id %s: use a resource's type and name and its import ID, such as Vpc:network-vpc=vpc-0123456789abcdef0", pair)
		}
	}
	if f.infraJSON == "" {
		return nil
	}
	var texts [2][]byte
	for i, path := range []string{f.infraJSON, f.iamJSON} {
		var err error
		if texts[i], err = os.ReadFile(path); err != nil {
			return fmt.Errorf("reading a document: %w", err)
		}
	}
	infra, iam, err := documents.Read(texts[0], texts[1])
	if err != nil {
		return err
	}
	f.Infra, f.IAM = &infra, &iam
	if f.InfraID == "" {
		f.InfraID = infra.InfraID
	}
	if f.Region == "" {
		f.Region = infra.Region
	}
	return nil
}

// given returns the import IDs of --id.
func (f *adoptFlags) given() map[adopt.Key]string {
	given := map[adopt.Key]string{}
	for _, pair := range f.ids {
		resource, id, _ := strings.Cut(pair, "=")
		token, name, _ := strings.Cut(resource, ":")
		given[adopt.Key{Type: token, Name: name}] = id
	}
	return given
}

func runAdopt(ctx context.Context, c *invocation.Invocation, flags adoptFlags) error {
	if err := flags.read(); err != nil {
		return err
	}
	if !flags.preview {
		if err := c.CanConfirm("adopt"); err != nil {
			return err
		}
	}
	project, err := c.Project()
	if err != nil {
		return err
	}
	session, err := c.Session(ctx, project)
	if err != nil {
		return err
	}
	name, file, survey, cluster, err := adoptedFile(ctx, c, session, project, &flags)
	if err != nil {
		return err
	}
	stack, err := session.Open(ctx, name, file, automation.MayCreate)
	if err != nil {
		return err
	}
	defer stack.Close()
	if !flags.preview {
		if err := stack.Recover(ctx); err != nil {
			return err
		}
	}
	adoption, err := stack.Adopt(ctx, automation.AdoptOptions{
		Given: flags.given(), AllowCreate: flags.allowCreate, RevokeDefaultGroup: flags.defaultGroup == "revoke", Survey: survey, Cluster: cluster,
	})
	if err != nil {
		return err
	}
	review, planned, err := adoption.Preview(ctx)
	if err != nil {
		return err
	}
	showReview(c, review)
	view.ShowTime(c, stack, planned)
	switch {
	case review.Refusal() != nil:
		return errors.Join(review.Refusal(), review.Missing())
	case flags.preview:
		return review.Missing()
	case !planned.HasChanges:
		c.Say("stack %s has all resources already: nothing to do", name)
		return review.Missing()
	}
	if err := stack.CheckPlan(ctx, planned); err != nil {
		return err
	}
	if !c.Yes {
		if err := c.Confirm("Adopt these resources into stack " + name + "?"); err != nil {
			return err
		}
	}
	return errors.Join(adoption.Run(ctx, planned), review.Missing())
}

// adoptedFile reads the stack's file or, if there is none, writes one that describes the account's resources.
func adoptedFile(
	ctx context.Context, c *invocation.Invocation, session *automation.Session, project *project.Project, flags *adoptFlags,
) (string, *config.File, *adopt.Survey, *adopt.Cluster, error) {
	name := c.Stack
	if flags.InfraID == "" || name != "" {
		var err error
		if name, err = project.ResolveStack(c.Stack); err != nil {
			return "", nil, nil, nil, err
		}
	} else {
		name = flags.InfraID
	}
	path := project.StackFile(name)
	if flags.InfraID != "" {
		if err := session.CheckAdopts(ctx, name, config.KindCluster, flags.InfraID); err != nil {
			return "", nil, nil, nil, err
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		file, survey, cluster, err := surveyOf(ctx, c, session, project, name, flags)
		return name, file, survey, cluster, err
	}
	if flags.InfraID == "" {
		return "", nil, nil, nil, invocation.Refuse("%s does not exist: set the cluster with --infra-id and --region, or write the file", path)
	}
	if flags.Region == "" {
		flags.Region = regionOf(c)
	}
	if flags.Region == "" {
		return "", nil, nil, nil, invocation.Refuse("use the cluster's --region")
	}
	var owner map[string]any
	if flags.owner.Given() {
		owner = flags.owner.Settings(flags.Region)
	}
	survey, cluster, err := session.Survey(ctx, flags.own.Settings(flags.Region), owner, flags.Options)
	if err != nil {
		return "", nil, nil, nil, err
	}
	if err := decideDefaultGroup(survey, flags.defaultGroup); err != nil {
		return "", nil, nil, nil, err
	}
	if err := atomicfile.Write(path, []byte(cluster.File(flags.own, flags.owner))); err != nil {
		return "", nil, nil, nil, fmt.Errorf("writing %s: %w", path, err)
	}
	c.Say("wrote %s from the account's resources: check the values that are marked as not certain", path)
	file, err := project.LoadStack(name)
	return name, file, survey, cluster, err
}

// surveyOf reads an existing file and the account's resources of its cluster.
func surveyOf(
	ctx context.Context, c *invocation.Invocation, session *automation.Session, project *project.Project, name string, flags *adoptFlags,
) (*config.File, *adopt.Survey, *adopt.Cluster, error) {
	file, err := project.LoadStack(name)
	if err != nil {
		return nil, nil, nil, err
	}
	if flags.owner.Given() || flags.own.Given() {
		return nil, nil, nil, invocation.Refuse("%s exists and configures its accounts: leave --profile, --role-arn, --vpc-owner-profile and --vpc-owner-role out", file.Path)
	}
	infraID := ""
	if file.Cluster != nil {
		infraID = file.Cluster.InfraID
	}
	if err := session.CheckAdopts(ctx, name, file.Kind, infraID); err != nil || file.Cluster == nil {
		return file, nil, nil, err
	}
	of := file.Cluster
	if flags.InfraID != "" && flags.InfraID != of.InfraID {
		return nil, nil, nil, invocation.Refuse("%s describes cluster %s, but --infra-id is %s: use another stack with -s", file.Path, of.InfraID, flags.InfraID)
	}
	if of.Network.Existing != nil {
		return file, nil, nil, nil // the network is used but not adopted
	}
	settings := file.NamedProviderSettings()
	flags.InfraID, flags.Region, flags.EndpointAccess, flags.Name = of.InfraID, file.Region, of.EndpointAccess, of.Name
	flags.Management = ""
	survey, cluster, err := session.Survey(ctx, settings[""], settings[config.VPCOwnerAccountProvider], flags.Options)
	if err != nil {
		return nil, nil, nil, err
	}
	if !of.Network.KeepDefaultSecurityGroup {
		if flags.defaultGroup == "keep" && survey.DefaultGroupHasRules() {
			return nil, nil, nil, invocation.Refuse("--default-security-group keep: write `keepDefaultSecurityGroup: true` under network in %s", file.Path)
		}
		if err := decideDefaultGroup(survey, flags.defaultGroup); err != nil {
			return nil, nil, nil, err
		}
	}
	cluster.EndpointAccess = of.EndpointAccess
	return file, survey, cluster, nil
}

// decideDefaultGroup refuses to adopt a VPC whose default security group has rules, unless the user has decided about them.
func decideDefaultGroup(survey *adopt.Survey, choice string) error {
	if choice != "" || !survey.DefaultGroupHasRules() {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: "the default security group of VPC " + survey.VPC.ID + " has rules; the stack removes them, although other resources may use them",
		Remedy:  "use --default-security-group keep, which does not change the group, or --default-security-group revoke, which removes the rules",
	}
}

// regionOf returns the environment's region, or "" if there is none.
func regionOf(c *invocation.Invocation) string {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region := c.Streams.Environ.Get(name); region != "" {
			return region
		}
	}
	return ""
}

// showReview shows what adopt would do.
func showReview(c *invocation.Invocation, review *adopt.Review) {
	if c.JSON != nil {
		for _, item := range review.Items {
			c.JSON.Write("adoption", item)
		}
		return
	}
	fmt.Fprint(c.Streams.Out, review.Text())
}
