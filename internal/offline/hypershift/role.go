package hypershift

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// The roles in a cluster's spec that its operators assume.
const (
	controlPlaneRole    = "controlPlaneOperatorARN"
	machineRole         = "nodePoolManagementARN"
	cloudControllerRole = "kubeCloudControllerARN"
	ingressRole         = "ingressARN"
	registryRole        = "imageRegistryARN"
)

// ServiceAccounts maps the roles in a cluster's spec to the service accounts that assume them.
func ServiceAccounts() map[string]string {
	return map[string]string{
		controlPlaneRole:    "kube-system:control-plane-operator",
		machineRole:         "kube-system:capa-controller-manager",
		cloudControllerRole: "kube-system:kube-controller-manager",
		ingressRole:         "openshift-ingress-operator:ingress-operator",
		registryRole:        "openshift-image-registry:cluster-image-registry-operator",
	}
}

// agent works in an AWS account with the permissions of a role that it has assumed.
type agent struct {
	*aws.Call
	role *store.Entry
}

var roleARN = regexp.MustCompile(`^arn:[a-z-]+:iam::(\d{12}):role/(?:.*/)?[^/]+$`)

// as runs act as the service account of a role in the cluster's spec.
func (g *hostedCluster) as(role string, act func(*agent) error) error {
	return g.assuming(g.aws.Object("rolesRef").String(role), ServiceAccounts()[role], act)
}

// assuming runs act as a service account that has assumed a role. It fails with AWS's error if the role cannot be
// assumed.
func (g *hostedCluster) assuming(arn, serviceAccount string, act func(*agent) error) error {
	m := roleARN.FindStringSubmatch(arn)
	if m == nil {
		return fmt.Errorf("%q is not the ARN of a role", arn)
	}
	account, err := g.Account(m[1])
	if err != nil {
		return err
	}
	if account == nil {
		return denied()
	}
	return account.In(g.region, func(c *aws.Call) error {
		c.CallerRole = arn
		if len(g.how.Quotas) > 0 {
			c.Rehearsal = faults.NewRun(faults.Rehearsal{Quotas: g.how.Quotas}, nil)
		}
		role, err := assume(c, g.issuer, serviceAccount)
		if err != nil {
			return err
		}
		return act(&agent{c, role})
	})
}

// assume: to assume a role, the account needs an OIDC provider for the token's issuer and audience, and the role must
// trust the service account.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
func assume(c *aws.Call, url, serviceAccount string) (*store.Entry, error) {
	issuer := props.AsURL.Of(url).(string)
	provider := c.Find(awstype.OIDCProvider, c.GlobalARN("iam", "oidc-provider/"+issuer))
	if provider == nil {
		return nil, awserr.Errorf("InvalidIdentityToken", "No OpenIDConnect provider found in your account for %s", url)
	}
	if !slices.Contains(provider.State.Strings("clientIdLists"), "openshift") {
		return nil, awserr.Errorf("InvalidIdentityToken", "Incorrect token audience")
	}
	for _, role := range c.All(awstype.Role) {
		if role.State.String("arn") == c.CallerRole &&
			trusts(role.State.String("assumeRolePolicy"), provider.ID, issuer, "system:serviceaccount:"+serviceAccount) {
			return role, nil
		}
	}
	return nil, denied()
}

// denied: a role that does not exist or does not trust the caller cannot be assumed.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
func denied() error {
	return awserr.Errorf("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity")
}

// trusts reports whether a trust policy allows a service account with a token of the provider. Conditions on anything
// except subject and audience count as met.
func trusts(text, provider, issuer, subject string) bool {
	document, err := policy.Parse(text)
	return err == nil && policy.Evaluate(policy.Request{
		Caller: policy.Caller{Federated: provider}, Action: "sts:AssumeRoleWithWebIdentity", Partial: true,
		Context: map[string][]string{issuer + ":sub": {subject}, issuer + ":aud": {"openshift"}},
	}, document) == policy.Allowed
}

// may: a policy of the role must allow the actions, and none may deny them. Resources and conditions count as matching
// in statements that allow, and as not matching in statements that deny. AWS managed policies are assumed to allow what
// they are for.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func (a *agent) may(actions ...string) error {
	for _, action := range actions {
		if !a.allows(action, "") {
			return awserr.Errorf("UnauthorizedOperation", "You are not authorized to perform this operation. User: %s is not authorized to "+
				"perform: %s because no identity-based policy allows the %[2]s action", a.role.State.String("arn"), action)
		}
	}
	return nil
}

// allows reports whether the role's policies allow an action on a resource, on any for "".
func (a *agent) allows(action, arn string) bool {
	var texts []string
	for _, rec := range a.Where(awstype.RolePolicy, "role", a.role.ID) {
		texts = append(texts, rec.State.String("policy"))
	}
	for _, rec := range a.Where(awstype.RolePolicyAttachment, "role", a.role.ID) {
		attached := rec.State.String("policyArn")
		if aws.ManagedByAWS(attached) {
			return true
		}
		if managed := a.Find(awstype.Policy, attached); managed != nil {
			texts = append(texts, managed.State.String("policy"))
		}
	}
	var policies []policy.Document
	for _, text := range texts {
		if document, err := policy.Parse(text); err == nil {
			policies = append(policies, document)
		}
	}
	return policy.Evaluate(policy.Request{Action: action, Resource: arn, Partial: true}, policies...) == policy.Allowed
}

// owned returns the resource of a type with the cluster's tag and that name, or nil if there is none.
func (a *agent) owned(token, infraID, name string) *store.Entry {
	for _, rec := range a.All(token) {
		tags := rec.State.Object("tags")
		if tags.String("kubernetes.io/cluster/"+infraID) == "owned" && tags.String("Name") == name {
			return rec
		}
	}
	return nil
}
