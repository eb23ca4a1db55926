package iam

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const workloadRoleType = "hypershift-aws:iam:WorkloadRole"

// WorkloadRole is a role that the pods of a service account in a hosted cluster assume. OpenShift's pod identity
// webhook gives them its credentials if the service account has the annotation.
type WorkloadRole struct {
	pulumi.ResourceState

	// ARN is the role's ARN.
	ARN pulumi.StringOutput `pulumi:"arn"`
	// Annotations are the annotations of the service account, "eks.amazonaws.com/role-arn".
	Annotations pulumi.StringMapOutput `pulumi:"annotations"`
}

// Workload is a service account and the permissions of its pods.
type Workload struct {
	// Namespace is the namespace of the service account. Required.
	Namespace string `yaml:"namespace" pulumi:"namespace"`
	// ServiceAccount is the name of the service account. Required unless serviceAccounts is set.
	ServiceAccount string `yaml:"serviceAccount" pulumi:"serviceAccount,optional"`
	// ServiceAccounts are the names of several service accounts that assume the same role, such as those of a CSI driver's
	// operator and controller. Default none.
	ServiceAccounts []string `yaml:"serviceAccounts" pulumi:"serviceAccounts,optional"`
	// RoleName is the name of the role, at most 64 characters. Default: <infraID>-<namespace>-<serviceAccount>, with the
	// first service account. Changing it replaces the role.
	RoleName string `yaml:"roleName" pulumi:"roleName,optional"`
	// Policies are the ARNs of managed policies to attach to the role. They must exist. Default none.
	Policies []string `yaml:"policies" pulumi:"policies,optional"`
	// Policy is an inline policy of the role, a JSON document. Default none.
	Policy pulumi.StringInput `yaml:"policy" pulumi:"policy,optional"`
}

// WorkloadRoleArgs are the inputs of a WorkloadRole.
type WorkloadRoleArgs struct {
	Workload `yaml:",inline" pulumi:"workload"`
	// Cluster names and tags the role. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// OIDCProviderARN is the ARN of the cluster's OIDC provider. Required.
	OIDCProviderARN pulumi.StringInput `yaml:"-" pulumi:"oidcProviderARN" set:"the ARN of the cluster's OIDC provider"`
	// IssuerURL is the URL of the cluster's OIDC issuer, "https://…". Required.
	IssuerURL pulumi.StringInput `yaml:"-" pulumi:"issuerURL" set:"the issuer of the service accounts' tokens"`
	// Path is the IAM path of the role, "/…/". Default "/". Changing it replaces the role.
	Path string `yaml:"-" pulumi:"path,optional"`
	// PermissionsBoundary is the ARN of a policy that limits the role. Default none.
	PermissionsBoundary pulumi.StringInput `yaml:"-" pulumi:"permissionsBoundary,optional"`
}

// The patterns come from Kubernetes: a namespace is a DNS label, and a service account a DNS subdomain of at most 253
// characters.
var (
	namespacePattern      = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	serviceAccountPattern = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`)
)

// The limits come from "IAM and AWS STS quotas".
const (
	maxRoleName       = 64
	maxInlinePolicies = 10240
	maxTrustPolicy    = 2048
	maxManaged        = 20
)

// names returns the names of the service accounts.
func (w *Workload) names() []string {
	if w.ServiceAccount == "" {
		return w.ServiceAccounts
	}
	return []string{w.ServiceAccount}
}

// accountPath returns the path of the i-th service account.
func (w *Workload) accountPath(i int) string {
	if w.ServiceAccount != "" || len(w.ServiceAccounts) == 0 {
		return "serviceAccount"
	}
	return fmt.Sprintf("serviceAccounts[%d]", i)
}

// accounts returns the service accounts as in the subjects of their tokens.
func (w *Workload) accounts() []string {
	var accounts []string
	for _, name := range w.names() {
		accounts = append(accounts, w.Namespace+":"+name)
	}
	return accounts
}

// name returns the name of the role for a cluster whose names begin with the prefix.
func (w *Workload) name(prefix string) string {
	if w.RoleName != "" {
		return w.RoleName
	}
	first := ""
	if names := w.names(); len(names) > 0 {
		first = names[0]
	}
	return prefix + "-" + w.Namespace + "-" + first
}

// validate returns every fault in the workload of a cluster whose names begin with the prefix. issuer is the URL of the
// cluster's issuer, "" if it is not known.
func (w *Workload) validate(prefix, issuer string) error {
	var faults fault.Faults
	if !namespacePattern.MatchString(w.Namespace) {
		faults.Add("namespace", w.Namespace, "is not the name of a namespace", "use at most 63 of a-z, 0-9 and -")
	}
	path := w.accountPath
	if w.ServiceAccount != "" && len(w.ServiceAccounts) > 0 {
		faults.Add("serviceAccounts", nil, "conflicts with serviceAccount", "list all service accounts in serviceAccounts")
	}
	if len(w.names()) == 0 {
		faults.Add(path(0), "", "is not the name of a service account", "use at most 253 of a-z, 0-9, - and .")
	}
	for i, name := range w.names() {
		if len(name) > 253 || !serviceAccountPattern.MatchString(name) {
			faults.Add(path(i), name, "is not the name of a service account", "use at most 253 of a-z, 0-9, - and .")
		}
		if slices.Index(w.names(), name) != i {
			faults.Add(path(i), name, "is listed twice", "list it once")
		}
		for _, spec := range roleSpecs() {
			if slices.Contains(spec.serviceAccounts, w.Namespace+":"+name) {
				faults.Add(path(i), name, "is a service account of HyperShift, which has the role "+string(spec.name),
					"use extraPolicies["+string(spec.name)+"] for further permissions")
			}
		}
	}
	if name := w.name(prefix); len(name) > maxRoleName || !awsid.IsName(name) {
		faults.Add("roleName", name, fmt.Sprintf("is not the name of a role (%d characters)", len(name)),
			"set a name of at most 64 letters, digits, and +=,.@_-")
	}
	faults.Join("serviceAccounts", w.checkTrustPolicy(issuer))
	if len(w.Policies) == 0 && !input.IsSet(w.Policy) {
		faults.Add("policies", nil, "is missing: the role would have no permissions", "set policies, policy, or both")
	}
	for i, arn := range w.Policies {
		faults.Join(fmt.Sprintf("policies[%d]", i), ValidateAnyPolicyARN(arn))
	}
	if n := len(w.Policies); n > maxManaged {
		faults.Add("policies", n, "are more managed policies than AWS attaches to a role",
			fmt.Sprintf("use at most %d, or join them", maxManaged))
	}
	if input.IsSet(w.Policy) {
		faults.Join("policy", input.IfPlain(w.Policy, validateDocument))
	}
	return faults.Err()
}

// validateDocument returns a fault for a text that is not a policy.
func validateDocument(text string) error {
	var document struct{ Statement json.RawMessage }
	switch err := json.Unmarshal([]byte(text), &document); {
	case err != nil:
		return &fault.Fault{Problem: "is not JSON: " + err.Error(), Remedy: "use a policy document"}
	case slices.Contains([]string{"", "null", "[]"}, string(document.Statement)):
		return &fault.Fault{Problem: "has no Statement", Remedy: "use a policy document"}
	case characters(text) > maxInlinePolicies:
		return &fault.Fault{
			Problem: fmt.Sprintf("has %d characters without white space", characters(text)),
			Remedy:  "use at most 10240, or a managed policy",
		}
	}
	return nil
}

// characters returns how many characters of a policy IAM counts: all but white space.
func characters(document string) int { return len(strings.Join(strings.Fields(document), "")) }

// shortIssuer is shorter than any issuer.
const shortIssuer = "https://a.example"

// checkTrustPolicy returns a fault if the role's trust policy is longer than IAM's quota iam/L-C07B4B0D without an
// increase.
func (w *Workload) checkTrustPolicy(issuer string) error {
	issuer = cmp.Or(issuer, shortIssuer)
	provider := "arn:aws:iam::000000000000:oidc-provider/" + strings.TrimPrefix(issuer, "https://")
	if n := characters(trustPolicy(provider, issuer, w.accounts()).JSON()); n > maxTrustPolicy {
		return &fault.Fault{
			Problem: fmt.Sprintf("make the role's trust policy %d characters long, and AWS allows %d", n, maxTrustPolicy),
			Remedy:  "divide the service accounts among several roles with the same policies",
		}
	}
	return nil
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *WorkloadRoleArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("", input.Required(args))
	faults.Join("", args.validate(args.Cluster.InfraID, input.Text(args.IssuerURL)))
	if args.Path != "" && !awsid.IsPath(args.Path) {
		faults.Add("path", args.Path, "is not an IAM path", "use one that begins and ends with a slash, such as /hypershift/")
	}
	if input.IsSet(args.PermissionsBoundary) {
		faults.Join("permissionsBoundary", input.IfPlain(args.PermissionsBoundary, ValidateAnyPolicyARN))
	}
	return faults.Err()
}

// NewWorkloadRole registers the role. The error lists every fault in args, or else every policy that does not exist.
func NewWorkloadRole(
	ctx *pulumi.Context,
	name string,
	args *WorkloadRoleArgs,
	opts ...pulumi.ResourceOption,
) (*WorkloadRole, error) {
	return component.New(ctx, workloadRoleType, "workload role", name, args, opts,
		func(w *WorkloadRole, args *WorkloadRoleArgs) error {
			var policies []givenPolicy
			if arn := input.Text(args.PermissionsBoundary); arn != "" {
				policies = append(policies, givenPolicy{"permissionsBoundary", arn})
			}
			for i, arn := range args.Policies {
				policies = append(policies, givenPolicy{fmt.Sprintf("policies[%d]", i), arn})
			}
			if err := checkPolicies(ctx, policies, pulumi.Parent(w)); err != nil {
				return err
			}
			roleName := args.name(args.Cluster.InfraID)
			described := &iamrole.Args{
				Name: roleName, Path: args.Path, Tags: args.Cluster.IAMTags(), Attached: args.Policies,
				PermissionsBoundary: checkedBoundary(ctx, "permissionsBoundary", args.PermissionsBoundary, pulumi.Parent(w)),
				Trust: pulumi.All(args.OIDCProviderARN, args.IssuerURL).ApplyT(func(values []any) string {
					return trustPolicy(values[0].(string), values[1].(string), args.accounts()).JSON()
				}).(pulumi.StringOutput),
			}
			if input.IsSet(args.Policy) {
				document, err := input.Check("policy", args.Policy, validateDocument)
				if err != nil {
					return err
				}
				described.Inline = []iamrole.InlinePolicy{{Name: roleName, Document: document}}
			}
			role, err := iamrole.New(ctx, name+"-role", described, pulumi.Parent(w))
			if err != nil {
				return err
			}
			w.ARN = role.Arn
			w.Annotations = pulumi.StringMap{"eks.amazonaws.com/role-arn": role.Arn}.ToStringMapOutput()
			return nil
		})
}
