package adopt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Judge determines what a plan does with each resource. found is what the importer found. allowed are the names of
// resources that may be created although an existing cluster has them. elsewhere maps resources in the states of other
// stacks to these stacks' names.
func Judge(
	stack string,
	planned *changes.Plan,
	found map[takeover.Key]Match,
	allowed []string,
	elsewhere map[state.Managed]string,
) *takeover.Review {
	r := &takeover.Review{Stack: stack}
	for _, step := range planned.Steps {
		if step.Counts() {
			judge(r, step, found[takeover.Key{Type: step.Type, Name: step.Name}], allowed, elsewhere, ofNewKey(planned, step))
		}
	}
	slices.SortStableFunc(r.Items, func(a, b takeover.Item) int {
		return strings.Compare(report.TypeName(a.Type)+" "+a.Name, report.TypeName(b.Type)+" "+b.Name)
	})
	return r
}

func refuse(r *takeover.Review, format string, args ...any) {
	r.Refused = append(r.Refused, fmt.Sprintf(format, args...))
}

// ofNewKey reports whether an object's content is an access key that the plan creates: a Secret of the operator, whose
// former key nothing can read, and AWS still accepts.
func ofNewKey(planned *changes.Plan, step *changes.Step) bool {
	created := map[string]bool{}
	for _, other := range planned.Steps {
		created[other.URN] = other.Type == awstype.AccessKey && other.Change == changes.Create
	}
	return slices.ContainsFunc(planned.After, func(r apitype.ResourceV3) bool {
		if string(r.URN) != step.URN {
			return false
		}
		from := r.PropertyDependencies["stringData"]
		return slices.ContainsFunc(from, func(urn resource.URN) bool { return created[string(urn)] })
	})
}

func judge(
	r *takeover.Review, step *changes.Step, found Match, allowed []string, elsewhere map[state.Managed]string, newKey bool,
) {
	label, key := report.TypeName(step.Type)+" "+step.Name, takeover.Key{Type: step.Type, Name: step.Name}
	how, _ := awstype.AdoptionOf(step.Type)
	if other := elsewhere[state.Managed{Type: step.Type, ID: found.ID}]; found.ID != "" && other != "" &&
		how.By != awstype.AdoptByWriting && how.By != awstype.AdoptBySetting {
		refuse(r, "%s: %s is in the state of stack %s; forget it there first: `hypershift-aws forget -s %s`", label, found.ID, other, other)
	}
	if why := belongsElsewhere(step, found); why != "" {
		refuse(r, "%s (%s) %s: use another name or, if it is this stack's, name it with --id %s=%s", label,
			cmp.Or(step.ID, found.ID), why, key, cmp.Or(step.ID, found.ID))
	}
	switch {
	case step.Change == changes.Replace && !step.Leftover:
		refuse(r, "%s (%s) would be replaced: %s", label, step.ID, strings.Join(describe(listChanges(step, step.Keys)), "; "))
	case step.Change == changes.Delete:
		refuse(r, "%s (%s) would be deleted: the stack's file no longer has a key for it", label, step.ID)
	case step.Change == changes.Import || step.Change == changes.Update:
		item := takeover.Item{
			Action:  takeover.Take,
			Type:    step.Type,
			Name:    step.Name,
			ID:      step.ID,
			Changes: listChanges(step, step.Diffs),
		}
		item.Changes = slices.DeleteFunc(item.Changes, func(c takeover.Change) bool {
			return step.Change == changes.Import && inStateAlone(c.Field)
		})
		if strings.HasPrefix(step.Type, "kubernetes:") {
			item.Changes = slices.DeleteFunc(item.Changes, func(c takeover.Change) bool { return keeps(c.From, c.To) })
		}
		if step.Type == "kubernetes:core/v1:Secret" && !newKey && slices.ContainsFunc(step.Diffs, func(field string) bool {
			return strings.HasPrefix(field, "data") || strings.HasPrefix(field, "stringData")
		}) {
			refuse(r, "%s (%s) has different content from the stack's file: adopt does not overwrite Secrets; use its content in the stack's file", label, step.ID)
		}
		if len(item.Changes) > 0 || step.Change == changes.Update {
			item.Action = takeover.Update
		}
		if step.Change == changes.Import && how.By == awstype.AdoptByImportID && ownerTag(step.Old) == "" &&
			ownerTag(step.New) != "" {
			item.Why = foundByName
		}
		r.Items = append(r.Items, item)
	case step.Change == changes.Create:
		judgeCreation(r, step, key, found, how, label, allowed)
	}
}

// foundByName is the reason for importing a resource without a tag of the cluster or the stack.
const foundByName = "found by its name; it has no tag of the cluster or the stack"

// ownerTag returns the key of a tag among inputs that names the cluster or the stack, or "" without one.
func ownerTag(inputs map[string]any) string {
	for key := range (account.Query{Inputs: inputs}).Owner() {
		return key
	}
	return ""
}

// keeps reports whether an object that has from still has it after applying to: the API server does not change fields
// that are not in to.
func keeps(from, to any) bool {
	if to == nil {
		return true
	}
	was, isMap := from.(map[string]any)
	is, both := to.(map[string]any)
	if !isMap || !both {
		return reflect.DeepEqual(from, to)
	}
	for key, value := range is {
		if !keeps(was[key], value) {
			return false
		}
	}
	return true
}

// inStateAlone reports whether an input is the provider's own, which AWS does not have: an update of it writes the
// state and calls nothing.
func inStateAlone(field string) bool { return field == "forceDestroy" || field == "allowOverwrite" }

// judgeCreation decides on a resource that was not found.
func judgeCreation(
	r *takeover.Review,
	step *changes.Step,
	key takeover.Key,
	found Match,
	how awstype.Adoption,
	label string,
	allowed []string,
) {
	item := takeover.Item{Action: takeover.Create, Type: step.Type, Name: step.Name, Why: how.Note}
	switch {
	case found.Refused != "":
		refuse(r, "%s: %s", label, found.Refused)
	case len(found.Others) > 0:
		refuse(r, "%s may be any of %s: set the right one with --id %s=ID", label, strings.Join(found.Others, ", "), key)
	case how.By == awstype.AdoptByWriting && found.ID != "":
		item.Action, item.ID, item.Why = takeover.Take, found.ID, writtenAlone
		tags, hasTags := found.Outputs["tags"]
		if item.Changes = listChanges(&changes.Step{
			Old: map[string]any{"tags": tags},
			New: step.New,
		}, []string{"tags"}); hasTags && len(item.Changes) > 0 {
			item.Action = takeover.Update
		}
	case errors.Is(found.Err, account.ErrNotListed):
		item.Why = "cannot be looked up: if it exists, set its ID with --id " + key.String() + "=ID"
	case found.Err != nil:
		r.Incomplete = append(r.Incomplete, fmt.Sprintf("%s: %v", label, found.Err))
		refuse(r, "%s could not be looked up: %v; allow it, or set its ID with --id %s=ID", label, found.Err, key)
	case step.Type == awstype.DefaultSecurityGroup && hasRules(found.Resource):
		item.ID, item.Why = found.Resource.ID, "the group exists; its rules are removed because of --default-security-group revoke"
	case len(found.Beside) > 0:
		item.Why += ": " + strings.Join(found.Beside, ", ") + "; once the operator's Deployments run with the new one, `hypershift-aws drift -s " +
			r.Stack + "` names it and what removes it"
	case how.By == awstype.AdoptBySetting || how.By == awstype.AdoptNever || how.By == awstype.AdoptByID:
	case how.Must && step.Name == "roles-"+iam.RoleKMSProvider.Suffix() && !slices.Contains(allowed, step.Name):
		refuse(r, "%s does not exist, so the cluster encrypts etcd without a KMS key: set kmsKeyARN to %s, or set the role's ID with --id %s=ID",
			label, config.NoKMSKey, key)
	case how.Must && !slices.Contains(allowed, step.Name):
		refuse(r, "%s does not exist, and every existing cluster has one: correct %s, or set its ID with --id %s=ID, or have it created with --allow-create %s",
			label, how.SetBy, key, step.Name)
	case strings.HasPrefix(step.Type, "pulumi:"):
		item.Why = "it is only in the state"
	case strings.HasSuffix(step.Type, "Patch"):
		item.Why = "it sets values that the object has"
	default:
		item.Why = "it does not exist"
	}
	r.Items = append(r.Items, item)
}

// writtenAlone is the reason why there is no operation for an imported resource.
const writtenAlone = "written into the state without a call"

// listChanges returns the fields of a step that change, in the order of their names.
func listChanges(step *changes.Step, fields []string) []takeover.Change {
	var changes []takeover.Change
	for _, field := range slices.Sorted(slices.Values(fields)) {
		from, to := at(step.Old, field), at(step.New, field)
		if reflect.DeepEqual(from, to) {
			continue
		}
		a, isMap := from.(map[string]any)
		b, both := to.(map[string]any)
		if field == "tags" && (isMap || both) { // without tags the field has no value
			isMap, both = true, true
		}
		if !isMap || !both {
			changes = append(changes, takeover.Change{Field: field, From: from, To: to})
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(union(a, b))) {
			if key != "__defaults" && !reflect.DeepEqual(a[key], b[key]) {
				changes = append(changes, takeover.Change{Field: fmt.Sprintf("%s[%s]", field, key), From: a[key], To: b[key]})
			}
		}
	}
	// A tag that changes shows in both lists.
	return slices.DeleteFunc(changes, func(c takeover.Change) bool { return strings.HasPrefix(c.Field, "tagsAll") })
}

func union(a, b map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// at returns the value of a field by its path, "vpcs[0].vpcId", at its first name.
func at(inputs map[string]any, path string) any {
	name := path
	if i := strings.IndexAny(path, ".["); i > 0 {
		name = path[:i]
	}
	return inputs[name]
}

// describe writes changes as "field: from -> to", and those of documents by what differs in them.
func describe(changes []takeover.Change) []string {
	var texts []string
	for _, c := range changes {
		from, to := documentIn(c.From), documentIn(c.To)
		if from == nil || to == nil {
			texts = append(texts, c.Field+": "+shown(c.From)+" -> "+shown(c.To))
			continue
		}
		for _, v := range plan.Between(map[string]any{c.Field: from}, map[string]any{c.Field: to}) {
			texts = append(texts, v.Path+": "+shown(v.Old)+" -> "+shown(v.New))
		}
	}
	return texts
}

// documentIn returns the object in JSON that a text is, nil for other values.
func documentIn(value any) map[string]any {
	text, _ := value.(string)
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return nil
	}
	return object
}

// longest is the maximum length of a printed value.
const longest = 60

func shown(value any) string {
	switch value {
	case nil:
		return "(none)"
	case changes.UnknownValue:
		return "(known after AWS has created the resource)"
	}
	text, isText := value.(string)
	if !isText {
		whole, err := json.Marshal(value)
		if err != nil {
			return "?"
		}
		text = string(whole)
	}
	if strings.HasPrefix(text, "{") && len(text) > longest {
		return fmt.Sprintf("a document of %d characters", len(text))
	}
	if len(text) > longest {
		return text[:longest] + "…"
	}
	return text
}

// Text shows a review, group by group.
func Text(r *takeover.Review) string {
	var b strings.Builder
	for _, group := range []struct {
		action takeover.Action
		title  string
	}{{takeover.Take, "imported unchanged"}, {takeover.Update, "updated in place"}, {takeover.Create, "created"},
		{takeover.Leave, "not adopted"}} {
		items := r.Of(group.action)
		if len(items) == 0 {
			continue
		}
		title, why := fmt.Sprintf("%s (%d)", group.title, len(items)), ""
		if group.action == takeover.Leave {
			why = sameReason(items)
		}
		if why != "" {
			title += ": " + report.OneLine(why)
		}
		b.WriteString(title + "\n")
		for _, i := range items {
			b.WriteString("  " + report.OneLine(strings.Join(slices.DeleteFunc([]string{report.TypeName(i.Type), i.Name, i.ID}, func(s string) bool { return s == "" }), " ")))
			if i.Why != why {
				b.WriteString("  [" + report.OneLine(i.Why) + "]")
			}
			b.WriteString("\n")
			for _, change := range describe(i.Changes) {
				b.WriteString("      " + report.OneLine(change) + "\n")
			}
		}
	}
	// What is written into the state without a call has no operation: the run's summary counts it as unchanged.
	recorded := len(slices.DeleteFunc(r.Of(takeover.Take), func(i takeover.Item) bool { return i.Why != writtenAlone }))
	fmt.Fprintf(&b, "%d created, %d imported, %d updated, %d unchanged, %d not adopted\n",
		len(r.Of(takeover.Create)), len(r.Of(takeover.Take))-recorded, len(r.Of(takeover.Update)), recorded,
		len(r.Of(takeover.Leave)))
	return b.String()
}

// Refusal returns the error of a review that may not be carried out, or nil if it may.
func Refusal(r *takeover.Review) error {
	if len(r.Refused) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("stack %s cannot adopt the cluster; nothing was changed:\n  %s", r.Stack,
			strings.Join(r.Refused, "\n  ")),
		Remedy: "correct the stack's file or the flags, and run `adopt --preview` again",
	}
}

// Missing returns the error of a review that lacks something, or nil if nothing is missing.
func Missing(r *takeover.Review) error {
	if len(r.Incomplete) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Failed, Problem: "the result is incomplete; these could not be listed:\n  " +
			strings.Join(r.Incomplete, "\n  "),
		Remedy: "allow the actions that AWS names there, and run the command again",
	}
}

// sameReason returns the reason that several resources have in common, "" for none.
func sameReason(items []takeover.Item) string {
	why := items[0].Why
	if len(items) == 1 || slices.ContainsFunc(items, func(i takeover.Item) bool { return i.Why != why }) {
		return ""
	}
	return why
}

// WhyLeft returns the reason why a resource with the cluster's tag is not adopted.
func WhyLeft(token string) string {
	if record, _ := awstype.SweepOf(token); record.Sweep.Operators {
		return "not in the stack's file; HyperShift's operators create such resources, and delete them with the cluster"
	}
	return "not in the stack's file"
}
