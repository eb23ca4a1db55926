package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
)

// roleName returns the name in the ARN of a role.
func roleName(arn string) string { return arn[strings.LastIndex(arn, "/")+1:] }

// usedFor returns the roles of the cluster that the part's role is used for.
func (p part) usedFor() []iam.GivenRole {
	return slices.DeleteFunc(slices.Clone(p.given.Roles), func(r iam.GivenRole) bool { return r.ARN != p.Name })
}

// role compares the policies of an existing role with the calls of the operators that assume it, and its trust policy with their service
// accounts.
func (p part) role(ctx context.Context) ([]difference, error) {
	policies, err := p.in.PoliciesOf(ctx, roleName(p.Name))
	if account.Gone(err) {
		return absent(), nil
	}
	if err != nil {
		return nil, err
	}
	var list []difference
	for _, role := range p.usedFor() {
		for _, n := range role.Needs {
			if policies.Allow(n.Action) {
				continue
			}
			d := difference{is: fmt.Sprintf("lacks %s: %s; without it %s", n.Action, n.Why, role.Breaks), remedy: "ask its owner to allow it", actions: []string{n.Action}}
			switch {
			case !n.NeededBy(p.given.Release):
				d.is = fmt.Sprintf("lacks %s, which releases from %s on need: %s", n.Action, n.Since, n.Why)
				d.remedy = "ask its owner to allow it before the upgrade"
			case n.Vital:
				d.fails = true
			}
			list = append(list, d)
		}
	}
	if p.Document == "" {
		return list, nil
	}
	trust, err := p.trustPolicy(ctx, roleName(p.Name))
	if err != nil {
		return nil, err
	}
	untrusted, err := iam.Untrusted(trust, p.Document)
	if err == nil && len(untrusted) > 0 {
		list = append(list, difference{is: "does not trust the tokens of " + strings.Join(untrusted, ", "), breaks: "these service accounts cannot assume it",
			remedy: "allow them sts:AssumeRoleWithWebIdentity in its trust policy", fails: true, previewed: true})
	}
	return list, err
}

// trustPolicy returns the trust policy of a role, "" if there is no such role.
func (p part) trustPolicy(ctx context.Context, name string) (string, error) {
	roles, err := p.in.List(ctx, account.Query{Type: awstype.Role, Inputs: map[string]any{"name": name}})
	if i := slices.IndexFunc(roles, func(r inventory.Resource) bool { return r.ID == name }); i >= 0 {
		return roles[i].Text("assumeRolePolicy"), err
	}
	return "", err
}

// profile compares an instance profile: it has a role that EC2 may assume, with the actions of HyperShift's policy for nodes.
func (p part) profile(ctx context.Context) ([]difference, error) {
	found, err := p.in.List(ctx, account.Query{Type: awstype.InstanceProfile, Inputs: map[string]any{"name": p.Name}})
	i := slices.IndexFunc(found, func(r inventory.Resource) bool { return r.ID == p.Name })
	if err != nil || i < 0 {
		return absent(), err
	}
	role := found[i].Text("role")
	if role == "" {
		return []difference{{is: "has no role", breaks: "machines start without credentials", remedy: "add the nodes' role to it", fails: true, previewed: true}}, nil
	}
	trust, err := p.trustPolicy(ctx, role)
	if err != nil {
		return nil, err
	}
	if !iam.TrustsEC2(trust) {
		return []difference{{is: "has the role " + role + ", which EC2 may not assume", breaks: "machines cannot be started",
			remedy: "allow ec2.amazonaws.com to use sts:AssumeRole in the role's trust policy", fails: true, previewed: true}}, nil
	}
	if p.given.Cluster.InfraID == "" {
		return nil, nil // machines of Cluster API have the permissions of its cloud controller, whose policy the user chooses
	}
	policies, err := p.in.PoliciesOf(ctx, role)
	if err != nil {
		return nil, err
	}
	var list []difference
	for _, action := range iam.WorkerActions() {
		if !policies.Allow(action) {
			list = append(list, difference{is: "has the role " + role + ", which lacks " + action, actions: []string{action}, remedy: "ask its owner to allow it",
				breaks: "what looks up instances with the credentials of nodes fails"})
		}
	}
	return list, nil
}

// provider checks that an OIDC provider has the client IDs that tokens are issued for.
func (p part) provider(ctx context.Context) ([]difference, error) {
	issuer := strings.TrimPrefix(p.Name, "https://")
	listed, err := p.in.List(ctx, account.Query{Type: awstype.OIDCProvider})
	i := slices.IndexFunc(listed, func(r inventory.Resource) bool { return strings.TrimPrefix(r.Text("url"), "https://") == issuer })
	if err != nil || i < 0 {
		return absent(), err
	}
	found, err := p.read(ctx, awstype.OIDCProvider, listed[i].ID)
	if err != nil || found == nil {
		return absent(), err
	}
	ids := props.Map(found.Properties).Strings("clientIdLists")
	var list []difference
	for _, id := range p.ClientIDs {
		if !slices.Contains(ids, id.Name) {
			list = append(list, difference{is: fmt.Sprintf("has no client ID %q", id.Name), breaks: id.Breaks, fails: id.Vital, previewed: id.Name == "openshift",
				remedy: "add it: aws iam add-client-id-to-open-id-connect-provider --open-id-connect-provider-arn " + found.ID + " --client-id " + id.Name})
		}
	}
	return list, nil
}
