package permissions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Roles returns the roles that a stack creates, and those that its file names as existing, with their documents: see
// automation.Stack.Roles.
func Roles(ctx context.Context, s *run.Stack) ([]policy.Role, error) {
	file, err := s.Load("")
	if err != nil {
		return nil, err
	}
	ctx, r, err := s.Start(ctx, gates.Preview)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := s.Project.ReadStackFile(s.Name)
	if err != nil {
		return nil, err
	}
	t, err := newTrial(ctx, &r.Session, s.Name, file, func(p *project.Project) (*config.File, error) {
		return withoutExisting(p, s.Name, file, text)
	})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if _, err := t.opened.Engine.Up(ctx); err != nil {
		return nil, t.said.explain(err)
	}
	if err := t.opened.Stack.CurrentState(ctx); err != nil {
		return nil, err
	}
	known := knownValues{file: string(text), real: map[string]apitype.ResourceV3{}, made: map[string]apitype.ResourceV3{}}
	for _, name := range append(config.References(file), s.Name) {
		made, err := t.session.StateOf(ctx, name)
		if err != nil {
			return nil, err
		}
		real, err := r.Session.StateOf(ctx, name)
		if err != nil {
			return nil, err
		}
		known.add(made, real)
	}
	replace, err := known.replacements(t.session.Environment.Folder())
	if err != nil {
		return nil, err
	}
	return rolesOf(t.opened.Stack.State, namedAccounts(t), replace)
}

// withoutExisting gives the stack of a trial its file without existing roles and instance profile, so that it creates
// them.
func withoutExisting(p *project.Project, stack string, file *config.File, text []byte) (*config.File, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil || len(root.Content) == 0 {
		return file, err
	}
	options := root.Content[0]
	for _, key := range []string{"config", file.Kind.Key(), "iam"} {
		if options = valueAt(options, key); options == nil {
			return file, nil
		}
	}
	if valueAt(options, "existing") == nil {
		return file, nil
	}
	for i := 0; i+1 < len(options.Content); i += 2 {
		if options.Content[i].Value == "existing" {
			options.Content = slices.Delete(options.Content, i, i+2)
			break
		}
	}
	changed, err := yaml.Marshal(&root)
	if err != nil {
		return nil, fmt.Errorf("writing the stack's file for a trial: %w", err)
	}
	if err := p.Supply(stack, changed, p.SuppliedSecrets(stack)); err != nil {
		return nil, err
	}
	return p.LoadStack(stack)
}

// valueAt returns the value of a key of a mapping, nil for none.
func valueAt(node *yaml.Node, key string) *yaml.Node {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// knownValues decides what stands for the values that a trial made up.
type knownValues struct {
	// file is the text of the stack's file, whose IDs are real.
	file string
	// real are the resources of the stacks' states, and made those of the trial, by type and name.
	real, made map[string]apitype.ResourceV3
}

// add adds the resources of a stack in the trial, and of its state, which may be nil.
func (k knownValues) add(made, real *state.Deployment) {
	for from, to := range map[*state.Deployment]map[string]apitype.ResourceV3{made: k.made, real: k.real} {
		if from == nil {
			continue
		}
		for _, r := range from.InCloud() {
			to[string(r.Type)+"::"+r.URN.Name()] = r
		}
	}
}

// identifying are the outputs that policies refer to, besides the ID.
func identifying() []string { return []string{"arn", "domainName", "keyId", "zoneId", "url"} }

// replacements returns what replaces the values that the trial in a folder made up: those of the stack's state or of
// the stacks that it names, or else placeholders. IDs in the file stay.
func (k knownValues) replacements(folder string) (*strings.Replacer, error) {
	var pairs []string
	put := func(old, value string) {
		if old != "" && value != "" && old != value && !slices.Contains(pairs, old) {
			pairs = append(pairs, old, value)
		}
	}
	for name, made := range k.made {
		real, has := k.real[name]
		if !has {
			continue
		}
		for _, output := range identifying() {
			put(props.Map(made.Outputs).String(output), props.Map(real.Outputs).String(output))
		}
		put(string(made.ID), string(real.ID))
	}
	accounts, err := offline.Accounts(folder)
	if err != nil {
		return nil, fmt.Errorf("reading the offline accounts: %w", err)
	}
	for _, account := range accounts {
		for _, r := range account.Resources() {
			text := func(property string) string { value, _ := r.Properties[property].(string); return value }
			what := ""
			switch r.Type {
			case awstype.HostedZone:
				what = "hosted zone " + text("name")
				if vpcs, _ := r.Properties["vpcs"].([]any); len(vpcs) == 0 {
					what = "public " + what
				}
			case awstype.VPC:
				what = "the VPC"
			case awstype.KMSKey:
				what = "the KMS key"
			}
			if what != "" && !strings.Contains(k.file, r.ID) {
				put(r.ID, "{ID of "+what+"}")
			}
			if r.Type == awstype.Distribution && !strings.Contains(k.file, text("domainName")) {
				put(text("domainName"), "{domain of the CloudFront distribution}")
			}
		}
	}
	return strings.NewReplacer(pairs...), nil
}

// namedAccounts returns the accounts that the stack's config names.
func namedAccounts(t *trial) map[string]bool {
	named := map[string]bool{}
	for _, need := range t.uses() {
		named[need.Account] = named[need.Account] || need.AccountNamed
	}
	return named
}

// unnamedAccount stands for the account that the stack's config does not name.
const unnamedAccount = "{account ID}"

// rolesOf returns the roles in the state of a trial.
func rolesOf(made *state.Deployment, named map[string]bool, replace *strings.Replacer) ([]policy.Role, error) {
	keys := roleKeys(made.Outputs())
	resources := made.InCloud()
	var roles []policy.Role
	for _, r := range resources {
		if string(r.Type) != awstype.Role || r.External {
			continue
		}
		in, out := props.Map(r.Inputs), props.Map(r.Outputs)
		account := strings.Split(out.String("arn")+":::::", ":")[4]
		real := func(text string) string {
			if !named[account] {
				text = strings.ReplaceAll(text, ":"+account+":", ":"+unnamedAccount+":")
			}
			return replace.Replace(text)
		}
		role := policy.Role{
			Name: string(r.ID), Path: in.String("path"), Key: keys[out.String("arn")],
			PermissionsBoundary: real(in.String("permissionsBoundary")), Tags: map[string]string{}, Policies: map[string]policy.Document{},
		}
		if named[account] {
			role.Account = account
		}
		for key := range out.Object("tagsAll") {
			role.Tags[key] = out.Object("tagsAll").String(key)
		}
		var err error
		if role.Trust, err = policy.Parse(real(out.String("assumeRolePolicy"))); err != nil {
			return nil, fmt.Errorf("the trust policy of role %s: %w", r.ID, err)
		}
		for _, part := range resources {
			of := props.Map(part.Outputs)
			if of.String("role") != role.Name {
				continue
			}
			switch string(part.Type) {
			case awstype.RolePolicy:
				if role.Policies[of.String("name")], err = policy.Parse(real(of.String("policy"))); err != nil {
					return nil, fmt.Errorf("a policy of role %s: %w", r.ID, err)
				}
			case awstype.RolePolicyAttachment:
				role.Attached = append(role.Attached, of.String("policyArn"))
			case awstype.InstanceProfile:
				role.InstanceProfile = of.String("name")
			}
		}
		slices.Sort(role.Attached)
		roles = append(roles, role)
	}
	if len(roles) == 0 {
		return nil, &failure.Error{
			Reason: failure.Refused, Problem: "the stack has no roles",
			Remedy: "select the stack that creates them, such as the one that `iam` in its file names",
		}
	}
	slices.SortFunc(roles, func(a, b policy.Role) int { return cmp.Compare(a.Name, b.Name) })
	return roles, nil
}

// roleKeys returns the keys of the roles in a stack's IAM document by their ARNs.
func roleKeys(outputs props.Map) map[string]string {
	keys := map[string]string{}
	var add func(of props.Map)
	add = func(of props.Map) {
		for key, value := range of {
			switch v := value.(type) {
			case string:
				name, isARN := strings.CutSuffix(key, "ARN")
				name = strings.TrimSuffix(name, "Role") // kmsProviderRoleARN
				if isARN && iam.RoleName(name).Validate() == nil && strings.Contains(v, ":role/") {
					keys[v] = name + "ARN"
				}
			case map[string]any:
				add(v)
			}
		}
	}
	add(outputs)
	return keys
}
