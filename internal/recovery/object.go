package recovery

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// isObject is whether a resource is an object of Kubernetes.
func isObject(token string) bool { return strings.HasPrefix(token, "kubernetes:") }

// settleObject decides on an object of Kubernetes that was being created. It has its name before it is there: what is
// there under that name is taken into the state if it carries the marks of this stack's, and else left alone. It is never
// written.
func (r *recovery) settleObject(ctx context.Context, res *state.Resource) error {
	kind, namespace, name := objectOf(res.Inputs)
	if strings.HasSuffix(string(res.Type), "Patch") || kind == "" || name == "" {
		return nil // a patch is applied to whatever is there
	}
	object, err := r.stack.Object(ctx, kind, namespace, name)
	if err != nil {
		return fmt.Errorf("%s: %w", subject(res), err)
	}
	id := strings.TrimPrefix(namespace+"/"+name, "/")
	switch {
	case object == nil:
		r.say("an earlier run was stopped while creating %s: it had not been made", subject(res))
		return nil
	case !isOurs(kind, res.Inputs, object):
		r.say("an earlier run was stopped while creating %s; %s is there, and is not this stack's: it is left alone", subject(res), id)
		return nil
	}
	if err := keepContent(res, object); err != nil {
		return fmt.Errorf("%s: %w", subject(res), err)
	}
	return r.take(r.awaiting(res), []string{id})
}

// objectOf is the kind, namespace and name among an object's inputs.
func objectOf(inputs map[string]any) (kind, namespace, name string) {
	metadata, _ := inputs["metadata"].(map[string]any)
	kind, _ = inputs["kind"].(string)
	namespace, _ = metadata["namespace"].(string)
	name, _ = metadata["name"].(string)
	return kind, namespace, name
}

// isOurs is whether an object carries the annotation that the stack was to give it: a hosted cluster's the infra ID, which a
// HostedCluster has in its spec too, and other stacks' the stack's name.
func isOurs(kind string, inputs, object map[string]any) bool {
	marked := false
	for _, mark := range []string{hostedcluster.InfraIDAnnotation, hypershift.StackTag} {
		value := annotationOf(inputs, mark)
		if annotationOf(object, mark) != value {
			return false
		}
		marked = marked || value != ""
	}
	spec, _ := object["spec"].(map[string]any)
	return marked && (kind != crd.HostedCluster || spec["infraID"] == annotationOf(inputs, hostedcluster.InfraIDAnnotation))
}

func annotationOf(object map[string]any, name string) string {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	value, _ := annotations[name].(string)
	return value
}

// keepContent gives the inputs of a Secret the content that it has, which the events of the engine do not tell: the key of
// etcd in the state must be the one that etcd is encrypted with.
func keepContent(res *state.Resource, object map[string]any) error {
	data, isSecret := object["data"].(map[string]any)
	if !isSecret || object["kind"] != "Secret" {
		return nil
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	inputs := map[string]any{}
	for key, value := range res.Inputs {
		inputs[key] = value
	}
	delete(inputs, "stringData")
	inputs["data"] = map[string]any{sig.Key: sig.Secret, "plaintext": string(text)}
	return res.Set("inputs", inputs)
}
