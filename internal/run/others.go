package run

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/awsresources"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// OthersGate describes the gate of a deletion that takes something from others, or that something of theirs blocks.
func OthersGate() gates.Gate {
	return gates.Gate{
		Name: "others",
		Refuses: "a destroy while others have something in the stack's VPC (instances, load balancers, endpoints, interfaces, " +
			"groups, subnets, peerings), records in its hosted zones, VPCs associated with these, or policies on its roles: " +
			"it would be deleted too, or block the deletion once the cluster is gone",
		WayOn:      "let its owner remove it; `--allow` with its ID",
		Operations: []gates.Operation{gates.Destroy},
		Cost:       gates.CostAWS,
	}
}

// theirs is what others have in a resource that a deletion deletes.
type theirs struct {
	// id allows the deletion, text names it, and effect is what the deletion does to it.
	id, text, effect string
}

// othersGate returns the gate that names what others have. allow are the IDs that the user allows. record keeps what of
// them the gate has found, once the user has decided.
func (r *Operation) othersGate(allow []string) (_ gate.Gate, record func() error) {
	var allowed []string
	return gate.New(OthersGate(), func(ctx context.Context, _ gates.Operation) (gate.Answer, error) {
			found, warnings := r.findTheirs(ctx)
			var left []theirs
			allowed = nil
			for _, one := range found {
				if slices.Contains(allow, one.id) {
					allowed = append(allowed, one.text)
				} else {
					left = append(left, one)
				}
			}
			for _, id := range allow {
				if !slices.ContainsFunc(found, func(one theirs) bool { return one.id == id }) {
					warnings = append(warnings, fmt.Sprintf("--allow %s has no effect: others have nothing with this ID in the stack's "+
						"VPC, zones and roles", id))
				}
			}
			answer := gate.Answer{Warnings: warnings}
			if len(left) > 0 {
				answer.Refused = refuseTheirs(r.Stack.Name, left)
			}
			return answer, nil
		}), func() error {
			if len(allowed) == 0 {
				return nil
			}
			return r.Stack.AddUse(workspace.Use{
				Flag: "--allow", Value: strings.Join(allow, ","), Resources: allow, Evidence: strings.Join(allowed, ", "),
			})
		}
}

// refuseTheirs is the refusal that names what others have.
func refuseTheirs(stack string, found []theirs) error {
	var lines []string
	allow := "hypershift-aws destroy -s " + stack
	for _, one := range found {
		lines = append(lines, fmt.Sprintf("  %s: %s", one.text, one.effect))
		allow += " --allow " + quoted(one.id)
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("others have %s in what stack %s deletes; nothing was changed:\n%s",
			report.Number(len(found), "resource"), stack, strings.Join(lines, "\n")),
		Remedy: fmt.Sprintf("let their owners remove them; to delete the stack nevertheless: `%s`", allow),
	}
}

// plainWord matches what a shell takes as it is.
var plainWord = regexp.MustCompile(`^[\w./:@=+-]+$`)

func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + word + "'"
}

// findTheirs returns what others have in the stack's VPCs, zones and roles, and the warnings for what cannot be read.
// What the state has lost counts as theirs, with its way back.
func (r *Operation) findTheirs(ctx context.Context) (found []theirs, warnings []string) {
	s := r.Stack
	added, unread := additions(ctx, s)
	for _, list := range unread {
		warnings = append(warnings, fmt.Sprintf("whether others have something in the stack is not known: the list of each %s: %s",
			list.subject, lastLine(list.cause)))
	}
	lost := r.lost(ctx, added)
	for _, one := range added {
		if effect := effectOn(one); effect != "" {
			if lost[one.ID] {
				effect += "; it is the stack's own, which its state has lost: `hypershift-aws adopt -s " + s.Name + " --preview`"
			}
			found = append(found, theirs{
				id: one.ID, effect: effect, text: fmt.Sprintf("%s %s of %s (%s)", typeLabel(one.part.token),
					describeAddition(one.part.token, one.Resource), one.owner.URN.Name(), one.owner.ID),
			})
		}
	}
	if !s.Session.Environment.KnowsAccounts() || s.State == nil {
		return found, warnings
	}
	accounts := s.Providers.ByProvider(ctx)
	for _, own := range s.State.InCloud() {
		if own.External {
			continue
		}
		switch string(own.Type) {
		case awstype.HostedZone:
			associated, err := theirVPCs(ctx, s, own)
			found = append(found, associated...)
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("whether others' VPCs are associated with %s is not known: %s",
					own.URN.Name(), lastLine(err)))
			}
		case awstype.VPC:
			residents, errs := awsresources.Residents(ctx, own, s.State, accounts)
			for _, err := range errs {
				warnings = append(warnings, fmt.Sprintf("whether others have something in VPC %s is not known: %s", own.ID,
					lastLine(err)))
			}
			for _, one := range residents {
				if !one.Cluster {
					found = append(found, theirs{one.ID, one.Text(),
						"it is in VPC " + string(own.ID) + ", which AWS does not delete while it exists"})
				}
			}
		}
	}
	return found, warnings
}

// effectOn says what a deletion of the owner does to an addition, or the addition to it; "" for what has no use without
// the owner: a group, a table or a VPC.
func effectOn(one addition) string {
	switch one.part.token {
	case awstype.Record:
		if one.owner.Inputs["forceDestroy"] == true {
			return "it is deleted with the zone"
		}
		return "AWS does not delete the zone while it has the record"
	case awstype.RolePolicy, awstype.RolePolicyAttachment:
		return "AWS does not delete the role while it has the policy"
	case awstype.AccessKey:
		return "AWS does not delete the user while it has the key"
	}
	return ""
}

// theirVPCs returns the VPCs that others associated with a private zone. After a refresh the state has them too, so
// that the stack's own are those that its other resources, its outputs and its file name.
func theirVPCs(ctx context.Context, s *workspace.Stack, zone apitype.ResourceV3) ([]theirs, error) {
	in := s.Providers.ByProvider(ctx)[zone.Provider]
	if in == nil || zone.Inputs["vpcs"] == nil {
		return nil, nil
	}
	listed, err := in.List(ctx, account.Query{Type: awstype.HostedZone, IDs: []string{string(zone.ID)}})
	own := ownVPCs(s)
	var found []theirs
	for _, r := range listed {
		for _, vpc := range account.Texts(r, "vpcs.vpcId") {
			if r.ID == string(zone.ID) && !own[vpc] {
				found = append(found, theirs{
					id: vpc, text: fmt.Sprintf("VPC %s, associated with %s (%s)", vpc, zone.URN.Name(), zone.ID),
					effect: "it loses the names of the zone",
				})
			}
		}
	}
	return found, err
}

// vpcID matches the ID of a VPC in a text.
var vpcID = regexp.MustCompile(`\bvpc-[0-9a-f]+\b`)

// ownVPCs returns the VPCs that the stack itself uses.
func ownVPCs(s *workspace.Stack) map[string]bool {
	own := map[string]bool{}
	add := func(values ...any) {
		for _, id := range vpcID.FindAllString(fmt.Sprint(values...), -1) {
			own[id] = true
		}
	}
	for _, r := range s.State.Resources {
		switch string(r.Type) {
		case awstype.HostedZone:
		case awstype.VPC:
			own[string(r.ID)] = true
		default:
			add(r.Inputs["vpcId"])
		}
	}
	add(map[string]any(s.State.Outputs()))
	if s.File != nil {
		text, err := s.Session.Project.ReadStackFile(s.Name)
		if err == nil {
			add(string(text))
		}
	}
	return own
}
