package picture

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// The forms in which a role is used and a policy allows actions.
const (
	read   = "read"
	use    = "use"
	change = "change"
	assume = "assume"
	pass   = "pass"
)

// unknownPolicy is the text for a policy whose document the plan does not know.
const unknownPolicy = "known after the update"

// outside is a box for something that is not a resource of the stack: a service account, an AWS service, the
// permissions of a role.
type outside struct {
	// label is its kind, and name its title. key is unique among the boxes of a page.
	label, name, key string
}

// newOutside returns a box for something that is not a resource.
func newOutside(g *graph, section section, o outside, details ...string) *box {
	b := &box{
		item: &item{ResourceV3: apitype.ResourceV3{URN: resource.URN("outside::" + o.key)}, graph: g, outside: &o},
		kind: kind{section: section}, w: boxWidth, details: details,
	}
	b.h = b.height()
	return b
}

// principal may assume a role.
type principal struct{ label, name, detail string }

// line returns the principal on one line: "service account kube-system/kms-provider".
func (p principal) line() string {
	switch {
	case p.label == serviceAccount:
		return "service account " + p.detail + "/" + p.name
	case p.detail != "":
		return strings.ToLower(p.label) + " " + p.name + " of " + p.detail
	case p.label == "AWS service":
		return p.label + " " + p.name
	}
	return strings.ToLower(p.label) + " " + p.name
}

const serviceAccount = "Service account"

// principalsOf returns who may assume a role: roles of the stack as items, and other principals.
func principalsOf(role *item) (others []principal, roles []*item) {
	var document policy.Document
	if json.Unmarshal([]byte(role.text("assumeRolePolicy")), &document) != nil {
		return nil, nil
	}
	add := func(p principal) {
		if !slices.Contains(others, p) {
			others = append(others, p)
		}
	}
	for _, s := range document.Statement {
		if s.Effect == policy.Deny || s.Principal == nil {
			continue
		}
		subjects := subjectsOf(s)
		for _, subject := range subjects {
			add(subjectPrincipal(subject))
		}
		if subjects == nil {
			for _, provider := range s.Principal.Federated {
				add(principal{"Every subject", last(provider, ":oidc-provider/"), ""})
			}
		}
		for _, service := range s.Principal.Service {
			add(principal{"AWS service", service, ""})
		}
		for _, arn := range s.Principal.AWS {
			if assumed := role.graph.ofType(arn, awstype.Role); assumed != nil {
				if !slices.Contains(roles, assumed) {
					roles = append(roles, assumed)
				}
			} else if name := last(arn, ":role/"); name != arn {
				add(principal{"Role", name, "account " + accountOf(arn)})
			} else {
				add(principal{"Account", cmp.Or(accountOf(arn), arn), ""})
			}
		}
		if s.Principal.Anyone {
			add(principal{"Account", "every account", ""})
		}
	}
	slices.SortFunc(others, func(a, b principal) int { return strings.Compare(a.line(), b.line()) })
	slices.SortFunc(roles, func(a, b *item) int { return strings.Compare(string(a.URN), string(b.URN)) })
	return others, roles
}

// subjectsOf returns the subjects of an identity provider's tokens that a statement is for.
func subjectsOf(s policy.Statement) (subjects []string) {
	for _, keys := range s.Condition {
		for key, values := range keys {
			if strings.HasSuffix(key, ":sub") {
				subjects = append(subjects, values...)
			}
		}
	}
	return subjects
}

func subjectPrincipal(subject string) principal {
	if account, ok := strings.CutPrefix(subject, "system:serviceaccount:"); ok {
		if namespace, name, ok := strings.Cut(account, ":"); ok {
			return principal{serviceAccount, name, namespace}
		}
	}
	return principal{"Subject", subject, ""}
}

// ofType returns the item of a type with an ID or ARN, or nil.
func (g *graph) ofType(id, token string) *item {
	for _, it := range g.byID[id] {
		if string(it.Type) == token {
			return it
		}
	}
	return nil
}

// grant says what the policies of a role allow on a resource, or on resources of a kind.
type grant struct {
	// verb is one of the forms above, and on the resource: "network-vpc", "every ec2 subnet".
	verb, on string
	// conditional is true if each of the actions has conditions. actions is their number.
	conditional bool
	actions     int
	// target is the resource in the stack, or nil.
	target *item
}

func (g grant) line() string { return strings.TrimSpace(g.verb + " " + g.on) }

// policiesOf returns the documents of a role's policies, "" for one that is unknown; managed are the names of those
// outside the stack.
func policiesOf(role *item) (documents, managed []string) {
	for _, it := range role.graph.items {
		if it.owner() != role {
			continue
		}
		switch string(it.Type) {
		case awstype.RolePolicy:
			documents = append(documents, it.text("policy"))
		case awstype.RolePolicyAttachment:
			if policies := it.targets("policyArn", awstype.Policy); len(policies) > 0 {
				documents = append(documents, policies[0].text("policy"))
			} else {
				managed = append(managed, last(it.text("policyArn"), "/"))
			}
		}
	}
	return documents, managed
}

// grantsOf returns what the policies of a role allow, in the order in which it is drawn.
func grantsOf(role *item) []grant {
	documents, managed := policiesOf(role)
	var list []grant
	for _, text := range documents {
		document, err := policy.Parse(text)
		if err != nil {
			list = merged(list, grant{on: unknownPolicy})
			continue
		}
		for _, s := range document.Statement {
			if s.Effect != policy.Allow {
				list = merged(list, grant{on: "except what is denied"})
				continue
			}
			for _, g := range grantsOfStatement(role.graph, s) {
				list = merged(list, g)
			}
		}
	}
	for _, name := range managed {
		list = merged(list, grant{on: "what " + name + " allows"})
	}
	rank := []string{assume, pass, change, use, read, ""}
	slices.SortFunc(list, func(a, b grant) int {
		if a.conditional != b.conditional {
			if a.conditional {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(slices.Index(rank, a.verb), slices.Index(rank, b.verb)), strings.Compare(a.on, b.on))
	})
	return list
}

// merged adds a grant to a list. On one resource, change includes use, which includes read.
func merged(list []grant, g grant) []grant {
	order := []string{read, use, change}
	for i, other := range list {
		if other.on != g.on || other.conditional != g.conditional {
			continue
		}
		mine, theirs := slices.Index(order, g.verb), slices.Index(order, other.verb)
		if mine >= 0 && theirs >= 0 || g.verb == other.verb {
			list[i].verb, list[i].actions = g.verb, other.actions+g.actions
			if theirs > mine {
				list[i].verb = other.verb
			}
			return list
		}
	}
	return append(list, g)
}

func grantsOfStatement(g *graph, s policy.Statement) []grant {
	actions := []string(s.Action)
	if len(actions) == 0 {
		actions = []string{"*"}
	}
	resources := []string(s.Resource)
	if len(resources) == 0 {
		resources = []string{"*"}
	}
	var list []grant
	for _, arn := range resources {
		for _, action := range actions {
			service, _, found := strings.Cut(action, ":")
			if !found {
				service = "AWS"
			}
			on, target, owner := reached(g, arn, service)
			if owner != "" && owner != service && (owner != "iam" || service != "sts") && found {
				continue // this action is for another of the statement's resources
			}
			list = append(list, grant{
				verb:        verbOf(action),
				on:          on,
				conditional: len(s.Condition) > 0,
				actions:     1,
				target:      target,
			})
		}
	}
	return list
}

// verbOf returns the form of an action.
func verbOf(action string) string {
	service, name, _ := strings.Cut(action, ":")
	switch {
	case strings.HasPrefix(action, "sts:AssumeRole"):
		return assume
	case action == "iam:PassRole":
		return pass
	case strings.HasPrefix(name, "Describe"), strings.HasPrefix(name, "List"), strings.HasPrefix(name, "Get"),
		strings.HasPrefix(name, "Lookup"):
		return read
	case service == "kms":
		return use
	}
	return change
}

// reached names the resources that an ARN matches: a resource of the stack, or every resource of a kind. service is the
// one in the ARN, "" for "*".
func reached(g *graph, arn, action string) (name string, target *item, service string) {
	short := func(service string) string { return strings.Replace(service, "elasticloadbalancing", "ELB", 1) }
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 {
		return "every " + short(action) + " resource", nil, ""
	}
	service = parts[2]
	whole := strings.TrimSuffix(arn, "/*")
	for _, id := range []string{whole, last(whole, "/"), parts[5]} {
		for _, it := range g.byID[id] {
			if rows[string(it.Type)].text == nil || string(it.Type) == awstype.InstanceProfile {
				return it.name(), it, service
			}
		}
	}
	kind, id, found := strings.Cut(parts[5], "/")
	switch {
	case found && strings.Trim(id, "*/") == "":
		return "every " + short(service) + " " + kind, nil, service
	case strings.Trim(parts[5], "*") == "":
		return "every " + short(service) + " resource", nil, service
	}
	return short(service) + " " + last(parts[5], "/"), nil, service
}

// addAccess adds who may assume each role, and what its policies reach, as boxes.
func addAccess(g *graph, list []*box) []*box {
	who := map[principal]*box{}
	for _, b := range slices.Clone(list) {
		if string(b.Type) != awstype.Role {
			continue
		}
		others, _ := principalsOf(b.item)
		for _, p := range others {
			if who[p] == nil {
				var details []string
				if p.detail != "" {
					details = []string{p.detail}
				}
				who[p] = newOutside(g, identity, outside{p.label, p.name, p.line()}, details...)
				list = append(list, who[p])
				b.row = append(b.row, who[p])
			}
			who[p].uses = append(who[p].uses, b)
		}
		if grants := grantsOf(b.item); len(grants) > 0 {
			reach := newOutside(g, identity, outside{"Its policies allow it to", b.name(), "policies of " + string(b.URN)},
				grantLines(grants)...)
			reach.change = b.change
			for _, one := range grants {
				if one.target != nil && one.target != b.item {
					reach.reaches = append(reach.reaches, reachOf{one.target, one.verb == assume})
				}
			}
			list = append(list, reach)
			b.uses, b.policies = append(b.uses, reach), reach
		}
	}
	return list
}

// grantLines returns the grants as they are drawn.
func grantLines(grants []grant) (lines []string) {
	conditional := false
	for _, g := range grants {
		if g.conditional && !conditional {
			conditional = true
			lines = append(lines, "and under conditions:")
		}
		lines = append(lines, g.line())
	}
	return lines
}

// access is a line of the table of who may do what.
type access struct{ Who, Role, Allowed, Actions, Condition string }

// accesses returns who may do what, for those who read instead of looking.
func (p *page) accesses() (list []access) {
	for _, it := range p.graph.items {
		if string(it.Type) != awstype.Role {
			continue
		}
		others, roles := principalsOf(it)
		var who []string
		for _, one := range others {
			who = append(who, one.line())
		}
		for _, role := range roles {
			who = append(who, "role "+role.name())
		}
		for _, g := range grantsOf(it) {
			row := access{Who: cmp.Or(strings.Join(who, ", "), unknownPolicy), Role: it.name(), Allowed: g.line()}
			if g.actions > 0 {
				row.Actions = fmt.Sprint(g.actions)
			}
			if g.conditional {
				row.Condition = "yes"
			}
			list = append(list, row)
		}
	}
	return list
}

// accessOf returns what the arrows of a box say.
func (p *page) accessOf(it *item) (list []string) {
	for _, b := range p.boxes {
		if b.item == it && b.outside != nil {
			list = append(list, b.details...)
		}
		for _, to := range b.uses {
			switch {
			case b.item == it && to.outside == nil:
				list = append(list, "assumes role "+to.name())
			case to.item == it && it.outside == nil:
				list = append(list, "assumed by "+b.outside.key)
			}
		}
	}
	if string(it.Type) == awstype.Role {
		_, roles := principalsOf(it)
		for _, role := range roles {
			list = append(list, "assumed by role "+role.name())
		}
	}
	return list
}
