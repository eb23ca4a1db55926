package hypershift

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// caller works in an AWS account without permissions of its own: AWS's part of what an operator does.
type caller struct{ *aws.Call }

// agent works in an AWS account with the permissions of a role that it has assumed.
type agent struct {
	caller
	role *store.Record
}

var roleARN = regexp.MustCompile(`^arn:[a-z-]+:iam::(\d{12}):role/(?:.*/)?[^/]+$`)

// as runs act as a service account that has assumed a role. It fails with AWS's error if the role cannot be assumed.
func (g *hostedCluster) as(arn, serviceAccount string, act func(*agent) error) error {
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
		return act(&agent{caller: caller{c}, role: role})
	})
}

// assume: to assume a role, the account needs an OIDC provider for the token's issuer and audience, and the role must trust the
// service account.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
func assume(c *aws.Call, url, serviceAccount string) (*store.Record, error) {
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

// trusts reports whether a trust policy allows a service account with a token of the provider. Conditions on anything except subject and
// audience count as met.
func trusts(text, provider, issuer, subject string) bool {
	document, err := policy.Parse(text)
	return err == nil && policy.Evaluate(policy.Request{
		Caller: policy.Caller{Federated: provider}, Action: "sts:AssumeRoleWithWebIdentity", Partial: true,
		Context: map[string][]string{issuer + ":sub": {subject}, issuer + ":aud": {"openshift"}},
	}, document) == policy.Allowed
}

// may: a policy of the role must allow the actions, and none may deny them. Resources and conditions count as matching in
// statements that allow, and as not matching in statements that deny. AWS managed policies are assumed to allow what they are for.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func (a *agent) may(actions ...string) error {
	var policies []policy.Document
	add := func(text string) {
		if document, err := policy.Parse(text); err == nil {
			policies = append(policies, document)
		}
	}
	for _, rec := range a.All(awstype.RolePolicy) {
		if rec.State.String("role") == a.role.ID {
			add(rec.State.String("policy"))
		}
	}
	for _, rec := range a.All(awstype.RolePolicyAttachment) {
		if rec.State.String("role") != a.role.ID {
			continue
		}
		arn := rec.State.String("policyArn")
		if aws.ManagedByAWS(arn) {
			return nil
		}
		if managed := a.Find(awstype.Policy, arn); managed != nil {
			add(managed.State.String("policy"))
		}
	}
	for _, action := range actions {
		if policy.Evaluate(policy.Request{Action: action, Partial: true}, policies...) != policy.Allowed {
			return awserr.Errorf("UnauthorizedOperation", "You are not authorized to perform this operation. User: %s is not authorized to "+
				"perform: %s because no identity-based policy allows the %[2]s action", a.role.State.String("arn"), action)
		}
	}
	return nil
}

// make creates a resource for the cluster.
func (a caller) make(token string, inputs props.Map) (*store.Record, error) {
	return a.Make(store.ByOperator, token, "", inputs)
}

// owned returns the resource of a type with the cluster's tag and that name, or nil if there is none.
func (a caller) owned(token, infraID, name string) *store.Record {
	for _, rec := range a.All(token) {
		tags := rec.State.Object("tags")
		if tags.String("kubernetes.io/cluster/"+infraID) == "owned" && tags.String("Name") == name {
			return rec
		}
	}
	return nil
}
