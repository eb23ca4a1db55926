package plancheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
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
// not known yet are placeholders, and Secrets have no real content. A refusal counts only if it doesn't depend on
// those, and if it names no other object of the plan. Whatever can't be asked or known is said, and doesn't fail.
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
		object := maps.Clone(step.New)
		if namespace, known := namespaces(step.New); known && namespace != "" {
			metadata := maps.Clone(asMap(object["metadata"]))
			metadata["namespace"] = namespace
			object["metadata"] = metadata
		}
		objects = append(objects, object)
	}
	creation := &creation{placeholders: c.placeholdersFor(p), server: c.server}
	if err := c.eachDryRun(ctx, objects, "", "the new objects", creation.ask); err != nil {
		return err
	}
	return c.checkQuotas(ctx, objects)
}

// asked is what a dry run shows; the zero value is that the object is accepted, or nothing that needs words.
type asked struct {
	// refused is the refusal of the object.
	refused error
	// unasked is why it was not asked, and open a refusal that may come from what is not known yet.
	unasked, open string
}

// eachDryRun asks the management cluster about each object by a dry run, and fails at the first one that it refuses. of
// is what is done with an object, "" for its creation, and what are all of them. What could not be asked is said once,
// and what can't be known for each object.
func (c *Checker) eachDryRun(
	ctx context.Context, objects []map[string]any, of, what string,
	ask func(_ context.Context, _ clusterstatus.ManagementCluster, object map[string]any, all []map[string]any) asked,
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
		answer := ask(ctx, api, object, objects)
		name := props.Map(object).String("kind") + " " + props.Map(object).String("metadata", "name")
		if answer.refused != nil {
			return binding.Refused(fmt.Sprintf("the management cluster refuses %s%s, as a dry run shows: %s", of, name,
				answer.refused), "correct what its message names, or ask the administrators of the management cluster")
		}
		if answer.open != "" {
			c.Stack.Say("warning: the management cluster may refuse %s: a dry run, with placeholders for what AWS has yet to "+
				"create, is refused, and with the real values it may be accepted: %s", name, answer.open)
		}
		unasked = cmp.Or(unasked, answer.unasked)
	}
	if unasked != "" {
		c.Stack.Say("whether the management cluster's webhooks and policies accept %s was not asked: %s", what, unasked)
	}
	return nil
}

// creation asks about new objects.
type creation struct {
	placeholders
	// server has the schemas of HyperShift's kinds, nil if they were not read.
	server *clusterstatus.Server
}

// ask asks whether a new object is accepted.
func (c *creation) ask(
	ctx context.Context, api clusterstatus.ManagementCluster, object map[string]any, all []map[string]any,
) asked {
	first := c.fill(object, nil)
	err := dryApply(ctx, api, first)
	if err == nil {
		return asked{}
	}
	if refused, why := judgeDryRun(err, object, all); !refused {
		return asked{unasked: why}
	}
	if c.depends(ctx, api, object, first, err) {
		return asked{open: err.Error()}
	}
	return asked{refused: err}
}

func dryApply(ctx context.Context, api clusterstatus.ManagementCluster, f *filled) error {
	ctx, cancel := binding.Within(ctx) // a webhook may be slow
	defer cancel()
	return api.DryApply(ctx, hypershift.FieldManager, f.object)
}

// depends reports whether the refusal of a new object may come from the placeholders in it. It does if it is about one
// of them. A message need not say what it is about; so the object is asked about again without these values, and with
// those of up to three living objects of its kind, which were accepted. If one answer differs, the refusal depends on
// the values.
func (c *creation) depends(
	ctx context.Context, api clusterstatus.ManagementCluster, object map[string]any, first *filled, refusal error,
) bool {
	denied := deniedByPolicy(refusal.Error())
	if len(first.values) == 0 || !denied && !apierrors.IsInvalid(refusal) { // a quota, or a webhook that is away
		return false
	}
	if first.concerns(refusal.Error()) || causedBy(refusal, first) {
		return true
	}
	kind, namespace := props.Map(object).String("kind"), props.Map(object).String("metadata", "namespace")
	var others []*filled
	var schema map[string]any
	if c.server != nil {
		schema = c.server.Schema(kind)
	}
	if left := withoutUnknown(object, schema); !reflect.DeepEqual(left, object) {
		others = append(others, c.fill(left, nil))
	}
	if isOfClusters("kubernetes:", object) {
		living, _ := api.List(ctx, kind, namespace) // its user may not be allowed to
		for _, one := range living[:min(len(living), 3)] {
			others = append(others, c.fill(object, one))
		}
	}
	for _, other := range others {
		err := dryApply(ctx, api, other)
		if err != nil && (!apierrors.IsInvalid(err) && !deniedByPolicy(err.Error()) ||
			denied && !deniedByPolicy(err.Error())) {
			continue // the schema needs the values, or nothing was answered
		}
		if err == nil || reason(err) != reason(refusal) {
			return true
		}
	}
	return false
}

// causedBy reports whether a cause of a refusal is a field whose value is not known.
func causedBy(refusal error, f *filled) bool {
	var answer apierrors.APIStatus
	if !errors.As(refusal, &answer) || answer.Status().Details == nil {
		return false
	}
	return slices.ContainsFunc(answer.Status().Details.Causes, func(cause metav1.StatusCause) bool {
		_, is := f.values[cause.Field]
		return is
	})
}

// changing matches the words of a message that may differ from request to request.
var changing = regexp.MustCompile(`\S*\d\S*`)

func reason(refusal error) string { return changing.ReplaceAllString(refusal.Error(), "") }

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
