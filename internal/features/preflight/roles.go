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
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// roleName returns the name in the ARN of a role.
func roleName(arn string) string { return arn[strings.LastIndex(arn, "/")+1:] }

// usedFor returns the roles of the cluster that the part's role is used for.
func (p part) usedFor() []iam.ExistingRole {
	return slices.DeleteFunc(slices.Clone(p.given.Roles), func(r iam.ExistingRole) bool { return r.ARN != p.Name })
}

// trust judges the trust policy of an existing role: the service accounts of its operators may assume it.
func (p part) trust(ctx context.Context) ([]difference, error) {
	trust, err := p.trustPolicy(ctx, roleName(p.Name))
	if err != nil || trust == "" {
		return absent(), err
	}
	if p.Document == "" {
		return nil, nil
	}
	return judged(iam.CheckTrust(p.Name, trust, p.Document))
}

// role compares the policies of an existing role with the calls of the operators that assume it.
func (p part) role(ctx context.Context) ([]difference, error) {
	policies, err := p.in.PoliciesOf(ctx, roleName(p.Name))
	if account.Gone(err) {
		return nil, nil
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
			d := difference{
				is:      fmt.Sprintf("lacks %s: %s; without it %s", n.Action, n.Why, role.Breaks),
				remedy:  "ask its owner to allow it",
				actions: []string{n.Action},
			}
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
	return list, nil
}

// trustPolicy returns the trust policy of a role, "" if there is no such role.
func (p part) trustPolicy(ctx context.Context, name string) (string, error) {
	roles, err := p.in.List(ctx, account.Query{Type: awstype.Role, Inputs: map[string]any{"name": name}})
	if i := slices.IndexFunc(roles, func(r inventory.Resource) bool { return r.ID == name }); i >= 0 {
		return roles[i].Text("assumeRolePolicy"), err
	}
	return "", err
}

// profileRole returns the role of an instance profile, "" without one, and whether the profile exists.
func (p part) profileRole(ctx context.Context) (role string, exists bool, err error) {
	found, err := p.in.List(ctx, account.Query{Type: awstype.InstanceProfile, Inputs: map[string]any{"name": p.Name}})
	i := slices.IndexFunc(found, func(r inventory.Resource) bool { return r.ID == p.Name })
	if err != nil || i < 0 {
		return "", false, err
	}
	return found[i].Text("role"), true, nil
}

// profile judges an instance profile: it has a role that EC2 may assume.
func (p part) profile(ctx context.Context) ([]difference, error) {
	role, exists, err := p.profileRole(ctx)
	if err != nil || !exists {
		return absent(), err
	}
	trust := ""
	if role != "" {
		if trust, err = p.trustPolicy(ctx, role); err != nil {
			return nil, err
		}
	}
	return judged(iam.CheckProfile(p.Name, role, trust))
}

// profileActions compares the role of an instance profile with HyperShift's policy for nodes. Machines of Cluster API
// have the permissions of its cloud controller, whose policy the user chooses.
func (p part) profileActions(ctx context.Context) ([]difference, error) {
	role, _, err := p.profileRole(ctx)
	if err != nil || role == "" || p.given.Cluster.InfraID == "" {
		return nil, err
	}
	policies, err := p.in.PoliciesOf(ctx, role)
	if err != nil {
		return nil, err
	}
	var list []difference
	for _, action := range iam.WorkerActions() {
		if !policies.Allow(action) {
			list = append(list, difference{is: "has the role " + role + ", which lacks " + action, actions: []string{action},
				remedy: "ask its owner to allow it",
				breaks: "what looks up instances with the credentials of nodes fails"})
		}
	}
	return list, nil
}

// provider judges an OIDC provider: it has the client ID that the cluster's tokens are issued for.
func (p part) provider(ctx context.Context) ([]difference, error) {
	found, err := p.findProvider(ctx)
	if err != nil || found == nil {
		return absent(), err
	}
	return judged(iam.CheckClientIDs(p.Name, found.ID, props.Map(found.Properties).Strings("clientIdLists"),
		p.ClientIDs[:1]))
}

// clientIDs compares the other client IDs of an OIDC provider.
func (p part) clientIDs(ctx context.Context) ([]difference, error) {
	found, err := p.findProvider(ctx)
	if err != nil || found == nil {
		return nil, err
	}
	var list []difference
	for _, id := range p.ClientIDs[1:] {
		more, err := judged(iam.CheckClientIDs(p.Name, found.ID, props.Map(found.Properties).Strings("clientIdLists"),
			[]iam.ClientID{id}))
		if err != nil {
			return nil, err
		}
		for _, d := range more {
			d.fails = id.Vital
			list = append(list, d)
		}
	}
	return list, nil
}

// findProvider returns the OIDC provider of an issuer, nil if there is none.
func (p part) findProvider(ctx context.Context) (*inventory.Resource, error) {
	issuer := strings.TrimPrefix(p.Name, "https://")
	listed, err := p.in.List(ctx, account.Query{Type: awstype.OIDCProvider})
	i := slices.IndexFunc(listed, func(r inventory.Resource) bool {
		return strings.TrimPrefix(r.Text("url"), "https://") == issuer
	})
	if err != nil || i < 0 {
		return nil, err
	}
	return p.read(ctx, awstype.OIDCProvider, listed[i].ID)
}
