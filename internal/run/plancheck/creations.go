package plancheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// checkCreations asks the management cluster by dry runs whether it accepts the objects that a plan creates: its
// webhooks, policies and quotas would refuse them only after the AWS resources that come before them. Values that are
// not known yet are placeholders, and Secrets have no real content. A refusal counts only if it can't come from those,
// and if it names no other object of the plan. Whatever can't be asked is said once, and doesn't fail.
func (c *Checker) checkCreations(ctx context.Context, p *changes.Plan) error {
	if binding.AppliedBy(c.Stack.File) == nil {
		return nil
	}
	var objects []map[string]any
	namespaces := namespaceIn(p)
	for _, step := range plan.Listed(p) {
		if step.Change != changes.Create || !strings.HasPrefix(step.Type, "kubernetes:") ||
			strings.HasSuffix(step.Type, "Patch") || props.Map(step.New).String("kind") == "" {
			continue
		}
		object, _ := placehold(step.New, "", 0).(map[string]any)
		if namespace, known := namespaces(step.New); known && namespace != "" {
			object["metadata"].(map[string]any)["namespace"] = namespace
		}
		objects = append(objects, object)
	}
	if err := c.eachDryRun(ctx, objects, "", "the new objects", dryRun); err != nil {
		return err
	}
	return c.checkQuotas(ctx, objects)
}

// eachDryRun asks the management cluster about each object by a dry run, and fails at the first one that it refuses. of
// is what is done with an object, "" for its creation, and what are all of them. What could not be asked is said once.
func (c *Checker) eachDryRun(
	ctx context.Context, objects []map[string]any, of, what string,
	ask func(
		_ context.Context, _ clusterstatus.ManagementCluster, object map[string]any, all []map[string]any,
	) (unasked string, refused error),
) error {
	if len(objects) == 0 {
		return nil
	}
	api, err := c.Connection.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	unasked := ""
	for _, object := range objects {
		why, refused := ask(ctx, api, object, objects)
		if refused != nil {
			return binding.Refused(fmt.Sprintf("the management cluster refuses %s%s %s, as a dry run shows: %s", of,
				props.Map(object).String("kind"), props.Map(object).String("metadata", "name"), refused),
				"correct what its message names, or ask the administrators of the management cluster")
		}
		unasked = cmp.Or(unasked, why)
	}
	if unasked != "" {
		c.Stack.Say("whether the management cluster's webhooks and policies accept %s was not asked: %s", what, unasked)
	}
	return nil
}

// dryRun returns the refusal of an object by a dry run, or why it was not asked, "" if that needs no words.
func dryRun(
	ctx context.Context, api clusterstatus.ManagementCluster, object map[string]any, all []map[string]any,
) (unasked string, refused error) {
	ctx, cancel := binding.Within(ctx) // a webhook may be slow
	defer cancel()
	err := api.DryApply(ctx, hypershift.FieldManager, object)
	if err == nil {
		return "", nil
	}
	if is, why := judgeDryRun(err, object, all); !is {
		return why, nil
	}
	return "", err
}

// placeholders are the values in place of those that are not known yet, by the end of their path. Each contains a part
// by which a message that names it is recognized.
var placeholders = []struct{ path, value string }{
	{"kms.aws.activeKey.arn", "arn:aws:kms:us-east-1:000000000000:key/00000000-0000-0000-0000-0000placehol"},
	{"ARN", "arn:aws:iam::000000000000:role/placeholder"},
	{"arn", "arn:aws:iam::000000000000:role/placeholder"},
	{"vpc", "vpc-00000000000000000"},
	{"subnet.id", "subnet-00000000000000000"},
	{"securityGroups.id", "sg-00000000000000000"},
	{"ZoneID", "Z00000000000000000000"},
	{"issuerURL", "https://placeholder.example.com"},
}

// placeholderPart matches a part of a placeholder.
var placeholderPart = regexp.MustCompile(`placehol|0{12}`)

// placehold returns the value at a path of a new object as a dry run sends it. n is the index of the element that it is
// in, 0 outside of lists: elements of a list with keys, such as subnets, need different ones.
func placehold(value any, path string, n int) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			at := strings.TrimPrefix(path+"."+key, ".")
			switch secret := v["kind"] == "Secret" && path == ""; {
			case strings.HasPrefix(key, "__"), path == "" && key == "status":
			case secret && (key == "data" || key == "stringData"):
				data := map[string]any{}
				contents, _ := inner.(map[string]any)
				for name := range contents {
					data[name] = `{"placeholder": "placeholder"}` // JSON, as some types of Secrets require
				}
				out["stringData"] = data
			default:
				out[key] = placehold(inner, at, n)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = placehold(inner, path, i)
		}
		return out
	case string:
		if v != changes.UnknownValue {
			return strings.ReplaceAll(v, changes.UnknownValue, "placeholder")
		}
		for _, p := range placeholders {
			if strings.HasSuffix(path, p.path) {
				return numbered(p.value, n)
			}
		}
		return numbered("placeholder", n)
	}
	return value
}

// numbered returns a placeholder for the n-th element of a list: an ID keeps its length.
func numbered(placeholder string, n int) string {
	switch number := strconv.Itoa(n); {
	case n == 0:
		return placeholder
	case strings.HasSuffix(placeholder, "0"):
		return placeholder[:len(placeholder)-len(number)] + number
	case strings.HasSuffix(placeholder, "placeholder"):
		return placeholder + number
	}
	return placeholder
}

// judgeDryRun reports whether the error of a dry run is a refusal of the object itself. Otherwise it returns why the
// question was not answered, "" if that needs no words.
func judgeDryRun(err error, object map[string]any, all []map[string]any) (refused bool, why string) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return false, err.Error()
	}
	status, text := answer.Status(), err.Error()
	own := props.Map(object).String("metadata", "name")
	denied := deniedByPolicy(text) // with any code, which the webhook chooses
	switch {
	case denied:
	case status.Code == http.StatusNotFound:
		if status.Details != nil && status.Details.Kind == "namespaces" {
			return false, text
		}
		return false, ""
	case status.Code == http.StatusConflict:
		return false, "" // the engine's own update resolves or reports it
	case strings.Contains(text, "does not support dry run"), strings.Contains(text, "is forbidden: User "):
		return false, text
	}
	if placeholderPart.MatchString(text) || inPlaceholder(status, object) {
		return false, ""
	}
	for _, other := range all {
		name := props.Map(other).String("metadata", "name")
		if name != "" && name != own && names(text, props.Map(other).String("kind"), name) {
			return false, ""
		}
	}
	switch {
	case denied, strings.Contains(text, "failed calling webhook"), strings.Contains(text, "exceeded quota"),
		status.Code == http.StatusForbidden,
		status.Code == http.StatusUnprocessableEntity && props.Map(object).String("kind") != "Secret":
		return true, ""
	}
	return false, text
}

// deniedByPolicy reports whether an API server's message is the refusal of an admission webhook or policy.
func deniedByPolicy(text string) bool {
	return strings.Contains(text, "denied the request") || strings.Contains(text, "denied request")
}

// inPlaceholder reports whether a cause of a refusal is a field with a placeholder.
func inPlaceholder(status metav1.Status, object map[string]any) bool {
	if status.Details == nil {
		return false
	}
	return slices.ContainsFunc(status.Details.Causes, func(cause metav1.StatusCause) bool {
		field, _, _ := strings.Cut(cause.Field, "[")
		value := props.Map(object).At(strings.Split(field, ".")...)
		return value != nil && placeholderPart.MatchString(fmt.Sprint(value))
	})
}

// names reports whether a text names an object: by a name that can be no word of a sentence, such as "demo-etcd", or by
// one that is in quotes or after the kind or the namespace. A node pool may be called "a".
func names(text, kind, name string) bool {
	const edge = `[^\w.-]`
	before := `(^|` + edge + `)`
	if !strings.ContainsAny(name, "-.0123456789") {
		before = "(?i:(^|" + edge + `)` + regexp.QuoteMeta(kind) + `s?[ :]+["'` + "`" + `]?|["'` + "`" + `/])`
	}
	return regexp.MustCompile(before + regexp.QuoteMeta(name) + "($|" + edge + ")").MatchString(text)
}
