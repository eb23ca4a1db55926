package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// isObject reports whether a resource is a Kubernetes object.
func isObject(token string) bool { return strings.HasPrefix(token, "kubernetes:") }

// settleObject decides on a Kubernetes object that was being created. Its name is known before it exists: an existing
// object of that name is added to the state if it has this stack's annotation, otherwise it is not changed. It is never
// written.
func (r *recovery) settleObject(ctx context.Context, res *state.Resource) error {
	kind, namespace, name := objectKey(res.Inputs)
	if strings.HasSuffix(string(res.Type), "Patch") || kind == "" || name == "" {
		return nil // a patch is applied to an existing object
	}
	object, err := r.stack.Object(ctx, kind, namespace, name)
	if err != nil {
		return fmt.Errorf("%s: %w", subject(res), err)
	}
	id := strings.TrimPrefix(namespace+"/"+name, "/")
	switch {
	case object == nil:
		r.say("an earlier run was stopped while creating %s: it was not created", subject(res))
		return nil
	case !isOurs(kind, res.Inputs, object):
		r.say("an earlier run was stopped while creating %s; %s exists, but does not belong to this stack: it was not changed", subject(res), id)
		return nil
	}
	taken, err := res.Copy() // the journal keeps res: the content is for the state alone, which encrypts it
	if err == nil {
		err = errors.Join(keepContent(taken, object), taken.Set("id", id))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", subject(res), err)
	}
	return r.put(r.newPending(res, nil), taken)
}

// objectKey returns the kind, namespace and name from an object's inputs.
func objectKey(inputs map[string]any) (kind, namespace, name string) {
	object := unstructured.Unstructured{Object: inputs}
	return object.GetKind(), object.GetNamespace(), object.GetName()
}

// isOurs reports whether an object has the annotation that the stack was going to set: for a hosted cluster the infra
// ID, which a HostedCluster also has in its spec, and for other stacks the stack's name.
func isOurs(kind string, inputs, object map[string]any) bool {
	marked := false
	for _, mark := range []string{hostedcluster.InfraIDAnnotation, hypershift.StackTag} {
		value := readAnnotation(inputs, mark)
		if readAnnotation(object, mark) != value {
			return false
		}
		marked = marked || value != ""
	}
	infraID, _, _ := unstructured.NestedString(object, "spec", "infraID")
	return marked && (kind != crd.HostedCluster || infraID == readAnnotation(inputs, hostedcluster.InfraIDAnnotation))
}

func readAnnotation(object map[string]any, name string) string {
	value, _, _ := unstructured.NestedString(object, "metadata", "annotations", name)
	return value
}

// keepContent sets the inputs of a Secret to its actual content, which the engine's events do not contain: the etcd key
// in the state must be the one with which etcd is encrypted.
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
