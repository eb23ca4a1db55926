package offline

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// agent works in an account of AWS with the rights of a role that it has taken.
type agent struct {
	*call
	role *record
}

var roleARN = regexp.MustCompile(`^arn:[a-z-]+:iam::(\d{12}):role/(?:.*/)?[^/]+$`)

// as works as a service account that has taken a role. It fails with AWS's refusal where the role cannot be taken.
func (g *guest) as(arn, serviceAccount string, act func(*agent) error) error {
	m := roleARN.FindStringSubmatch(arn)
	if m == nil {
		return fmt.Errorf("%q is not the ARN of a role", arn)
	}
	account, err := g.account(m[1])
	if err != nil {
		return err
	}
	if account == nil {
		return denied()
	}
	at, err := siteOf(props{"region": g.region, "allowedAccountIds": list(m[1])})
	if err != nil {
		return err
	}
	return account.transact(func(t *accountTx) error {
		c := &call{accountTx: t, site: at, as: arn}
		role, err := c.assume(g.issuer, serviceAccount)
		if err != nil {
			return err
		}
		return act(&agent{call: c, role: role})
	})
}

// assume: a role is taken with a token of an issuer that the account knows for the token's audience, by a service account
// that the role trusts.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
func (c *call) assume(url, serviceAccount string) (*record, error) {
	issuer := asURL.of(url).(string)
	provider := c.find(oidcToken, c.globalARN("iam", "oidc-provider/"+issuer))
	if provider == nil {
		return nil, refuse("InvalidIdentityToken", "No OpenIDConnect provider found in your account for %s", url)
	}
	if !slices.Contains(provider.State.texts("clientIdLists"), "openshift") {
		return nil, refuse("InvalidIdentityToken", "Incorrect token audience")
	}
	for _, role := range c.all(roleToken) {
		if role.State.text("arn") == c.as &&
			trusts(role.State.text("assumeRolePolicy"), provider.ID, issuer, "system:serviceaccount:"+serviceAccount) {
			return role, nil
		}
	}
	return nil, denied()
}

// denied: a role that does not trust the caller, or is not there, is not taken.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
func denied() error {
	return refuse("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity")
}

// trusts says whether a trust policy lets a service account in with a token that the provider vouches for. Conditions
// on anything but subject and audience are taken to hold.
func trusts(text, provider, issuer, subject string) bool {
	document, err := policy.Parse(text)
	return err == nil && policy.Evaluate(policy.Request{
		Caller: policy.Caller{Federated: provider}, Action: "sts:AssumeRoleWithWebIdentity", Partial: true,
		Context: map[string][]string{issuer + ":sub": {subject}, issuer + ":aud": {"openshift"}},
	}, document) == policy.Allowed
}

// may: a policy of the role allows the actions, and none denies them. Resources and conditions are taken to fit what
// allows and not what denies; AWS's own policies, and all of a role that no stack made, to allow what they are for.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func (a *agent) may(actions ...string) error {
	if a.role.Origin == bySeed {
		return nil
	}
	var policies []policy.Document
	add := func(text string) {
		if document, err := policy.Parse(text); err == nil {
			policies = append(policies, document)
		}
	}
	for _, rec := range a.all(rolePolicyToken) {
		if rec.State.text("role") == a.role.ID {
			add(rec.State.text("policy"))
		}
	}
	for _, rec := range a.all(attachmentToken) {
		if rec.State.text("role") != a.role.ID {
			continue
		}
		arn := rec.State.text("policyArn")
		if managedByAWS(arn) {
			return nil
		}
		if managed := a.find(policyToken, arn); managed != nil {
			add(managed.State.text("policy"))
		}
	}
	for _, action := range actions {
		if policy.Evaluate(policy.Request{Action: action, Partial: true}, policies...) != policy.Allowed {
			return refuse("UnauthorizedOperation", "You are not authorized to perform this operation. User: %s is not authorized to "+
				"perform: %s because no identity-based policy allows the %[2]s action", a.role.State.text("arn"), action)
		}
	}
	return nil
}

// make makes a resource for the cluster, as if with inputs that the provider has completed.
func (a *agent) make(token string, inputs props) (*record, error) {
	k := a.types.kinds[token]
	if k.inputs["tagsAll"].kind != 0 || k.inputs["tags"].kind != 0 {
		inputs["tagsAll"] = cloneValue(inputs["tags"])
	}
	for name, v := range k.defaults {
		if !inputs.has(name) {
			inputs[name] = cloneValue(v)
		}
	}
	made := &call{accountTx: a.accountTx, site: a.site, kind: k, as: a.as}
	err := made.create(inputs, byOperator)
	if err == nil {
		err = a.commit() // what comes next refers to it
	}
	return made.rec, err
}

// unmake takes a resource away, or fails as AWS does.
func (a *agent) unmake(token, id string) error {
	err := (&call{accountTx: a.accountTx, site: a.site, kind: a.types.kinds[token]}).remove(id)
	if err == nil {
		err = a.commit()
	}
	return err
}

// owned is the resource of a type that carries the cluster's tag and that name, nil where there is none.
func (a *agent) owned(token, infraID, name string) *record {
	for _, rec := range a.all(token) {
		tags := rec.State.object("tags")
		if tags.text("kubernetes.io/cluster/"+infraID) == "owned" && tags.text("Name") == name {
			return rec
		}
	}
	return nil
}
