// Package cmd has the command adopt.
package cmd

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/features/adopt"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
)

// Feature returns the command adopt.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "adopt", Commands: invocation.Adds(adoptCommand)}
}

// adoptFlags are the flags of adopt.
type adoptFlags struct {
	automation.AdoptOptions
	endpointAccess, defaultGroup string
	infraJSON, iamJSON           string
	ids                          []string
}

func adoptCommand(c *invocation.Invocation) *cobra.Command {
	var flags adoptFlags
	cmd := &cobra.Command{
		Use:     "adopt",
		GroupID: invocation.OperateAStack,
		Short:   "Adopt existing AWS resources into a stack",
		Long: `Adopts existing AWS resources, such as those that HyperShift's CLI created, into a stack: nothing is replaced, deleted or interrupted.

If the stack has no file, the command searches the account for the cluster of --infra-id in --region, by the tag
kubernetes.io/cluster/<infra ID>=owned, and writes Pulumi.<stack>.yaml, with a comment at each value that is not certain. Documents
of HyperShift's CLI (--infra-json, --iam-json) are compared with the account. An existing file, of any kind of stack, is used as it is.

With --preview the command shows how long it takes and, resource by resource, what is imported unchanged, updated in place, created,
and not adopted, and changes nothing in AWS. Without --preview it prompts for confirmation and carries that out. A plan that replaces or
deletes a resource, or creates a resource that an existing cluster should have, is refused as a whole. After an interruption, run adopt
again to continue. See docs/safety.md.`,
		Example: `  hypershift-aws adopt -s dev --infra-id demo-x7k2p --region us-east-1 \
    --preview
  hypershift-aws adopt -s dev`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runAdopt(cmd.Context(), c, flags) },
	}
	c.AddUnreadStack(cmd)
	f := cmd.Flags()
	f.BoolVar(&flags.Preview, "preview", false, "show what would happen, and change nothing in AWS")
	f.StringVar(&flags.Search.InfraID, "infra-id", "", "the cluster's infra `ID`, if the stack has no file")
	f.StringVar(&flags.Search.Region, "region", "", "the cluster's `region` (default: that of the infra document, or the environment's)")
	f.StringVar(&flags.infraJSON, "infra-json", "", "the `file` that `hypershift create infra aws` wrote")
	f.StringVar(&flags.iamJSON, "iam-json", "", "the `file` that `hypershift create iam aws` wrote")
	f.StringVar(&flags.Search.Name, "name", "", "the hosted cluster's `name`, if it cannot be found in the account")
	f.StringVar(&flags.endpointAccess, "endpoint-access", "", "the cluster's `mode`: Public, PublicAndPrivate or Private (default: what the account has)")
	f.StringVar(&flags.Search.Management, "management", "",
		"the management `stack` whose OIDC issuer and KMS key the cluster uses")
	f.StringVar(&flags.Own.Profile, "profile", "", "the `profile` of the credentials (default: the environment's)")
	f.StringVar(&flags.Own.RoleARN, "role-arn", "", "the `ARN` of a role to assume in the cluster's account")
	f.StringVar(&flags.VPCOwner.Profile, "vpc-owner-profile", "", "the `profile` for the account that owns a shared VPC")
	f.StringVar(&flags.VPCOwner.RoleARN, "vpc-owner-role", "",
		"the `ARN` of a role to assume in the account that owns a shared VPC")
	f.StringVar(&flags.defaultGroup, "default-security-group", "",
		"what to do with the rules of the VPC's default security group: `keep` or revoke")
	f.StringArrayVar(&flags.ids, "id", nil, "adopt a resource by its import ID, `type:name=ID`, such as Vpc:network-vpc=vpc-0123456789abcdef0; repeatable")
	f.StringArrayVar(&flags.AllowCreate, "allow-create", nil, "create the resource with this `name`, although an existing cluster should have it; repeatable")
	f.StringArrayVar(&flags.Take, "take", nil,
		"give the field with this config `key` the value of the file, although another client of the management cluster has set it; repeatable")
	invocation.CompleteFlag(cmd, "endpoint-access", invocation.Fixed(hypershift.EndpointAccesses()...))
	invocation.CompleteFlag(cmd, "default-security-group", invocation.Fixed("keep", "revoke"))
	invocation.RegionFlags(cmd, "region")
	return cmd
}

// read checks the flags and reads the documents.
func (f *adoptFlags) read() error {
	f.Search.EndpointAccess = hypershift.EndpointAccess(f.endpointAccess)
	switch {
	case f.endpointAccess != "" && f.Search.EndpointAccess.Validate() != nil:
		return invocation.Refuse("--endpoint-access %s: use Public, PublicAndPrivate or Private", f.endpointAccess)
	case f.defaultGroup != "" && f.defaultGroup != "keep" && f.defaultGroup != "revoke":
		return invocation.Refuse("--default-security-group %s: use keep or revoke", f.defaultGroup)
	case f.Search.InfraID != "" && !hypershift.IsInfraID(f.Search.InfraID):
		return invocation.Refuse("--infra-id %s is not an infra ID: use the whole ID, in lower case, such as demo-x7k2p", f.Search.InfraID)
	}
	f.DefaultGroup = automation.DefaultGroup(f.defaultGroup)
	f.IDs = map[automation.ResourceKey]string{}
	for _, pair := range f.ids {
		resource, id, _ := strings.Cut(pair, "=")
		token, name, _ := strings.Cut(resource, ":")
		f.IDs[automation.ResourceKey{Type: token, Name: name}] = id
		if token == "" || name == "" || id == "" {
			return invocation.Refuse("--id %s: use a resource's type and name and its import ID, such as Vpc:network-vpc=vpc-0123456789abcdef0", pair)
		}
	}
	infra, iam, err := invocation.ReadDocuments(f.infraJSON, f.iamJSON)
	if infra == nil {
		return err
	}
	f.Search.Infra, f.Search.IAM = infra, iam
	f.Search.InfraID, f.Search.Region = cmp.Or(f.Search.InfraID, infra.InfraID), cmp.Or(f.Search.Region, infra.Region)
	return nil
}

func runAdopt(ctx context.Context, c *invocation.Invocation, flags adoptFlags) error {
	if err := flags.read(); err != nil {
		return err
	}
	if !flags.Preview {
		if err := c.CanConfirm("adopt"); err != nil {
			return err
		}
	}
	stack, err := c.Automation(func(event automation.Event) {
		if e, ok := event.(*automation.ReviewEvent); ok {
			showReview(c, e.Review)
			showTime(c, e.Forecast)
		}
	})
	if err != nil {
		return err
	}
	flags.Decide = c.Decide
	_, err = stack.Adopt(ctx, flags.AdoptOptions)
	return err
}

// showReview shows what adopt would do.
func showReview(c *invocation.Invocation, review *takeover.Review) {
	if c.JSON != nil {
		for _, item := range review.Items {
			c.JSON.Write("adoption", item)
		}
		return
	}
	c.Print(adopt.Text(review))
}

// showTime prints how long a plan takes, if that is known.
func showTime(c *invocation.Invocation, f *automation.Forecast) {
	text := forecast.TimeText(f, false)
	switch {
	case text == "":
	case c.JSON != nil:
		view.WriteTime(c.JSON, f)
	default:
		c.SayText(strings.TrimSuffix(text, "\n"))
	}
}
