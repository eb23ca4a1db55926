package kubernetes

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// container is a Deployment's container with the Deployment's name, into which values are put. A value that is there
// already, and is another one, is refused with a remedy.
type container struct {
	in       *rendered
	workload *unstructured.Unstructured
	// containers are the pod's, and spec is the one that changes.
	containers []any
	spec       map[string]any
	volumes    []any
}

// newContainer returns the container of a Deployment that has its name, nil if there is none.
func newContainer(in *rendered, workload *unstructured.Unstructured) *container {
	c := &container{in: in, workload: workload}
	c.containers, _, _ = unstructured.NestedSlice(workload.Object, "spec", "template", "spec", "containers")
	c.volumes, _, _ = unstructured.NestedSlice(workload.Object, "spec", "template", "spec", "volumes")
	for _, each := range c.containers {
		if spec, isObject := each.(map[string]any); isObject && spec["name"] == workload.GetName() {
			c.spec = spec
			return c
		}
	}
	return nil
}

// store writes the changed container and volumes into the Deployment. Its pod has no other type than a mapping, because
// the container was found in it.
func (c *container) store() {
	spec, _, _ := unstructured.NestedMap(c.workload.Object, "spec", "template", "spec")
	spec["containers"], spec["volumes"] = c.containers, c.volumes
	_ = unstructured.SetNestedMap(c.workload.Object, spec, "spec", "template", "spec")
}

// list returns a list of the container.
func (c *container) list(name string) []any {
	list, _ := c.spec[name].([]any)
	return list
}

// argument returns the value of an argument "--<name>=<value>", and whether the container has it.
func (c *container) argument(name string) (value string, has bool) {
	for _, each := range c.list("args") {
		if text, isText := each.(string); isText && strings.HasPrefix(text, "--"+name+"=") {
			return text[len("--"+name+"="):], true
		}
	}
	return "", false
}

// setArgument sets an argument. Another value than the given replaceable ones is refused.
func (c *container) setArgument(name, value, remedy string, replaceable ...string) {
	former, has := c.argument(name)
	switch {
	case has && former == value:
	case !has:
		c.spec["args"] = append(c.list("args"), "--"+name+"="+value)
	case slices.Contains(replaceable, former):
		args := c.list("args")
		args[slices.Index(args, any("--"+name+"="+former))] = "--" + name + "=" + value
	default:
		c.in.refuse("--"+name+"="+former, *c.workload, "is not the stack's, "+value, remedy)
	}
}

// setVariable sets an environment variable. Another value is refused.
func (c *container) setVariable(name, value, remedy string) {
	if variable := named(c.list("env"), name); variable == nil {
		c.spec["env"] = append(c.list("env"), map[string]any{"name": name, "value": value})
	} else if former, _ := variable["value"].(string); former != value {
		c.in.refuse(name+"="+former, *c.workload, "is not the stack's, "+value, remedy)
	}
}

// mountSecret mounts a Secret as a volume. Another Secret, or another folder, is refused.
func (c *container) mountSecret(volume, path, secret, remedy string) {
	c.mount(volume, path)
	if existing := named(c.volumes, volume); existing == nil {
		c.volumes = append(c.volumes, map[string]any{"name": volume, "secret": map[string]any{"secretName": secret}})
	} else if former, _, _ := unstructured.NestedString(existing, "secret", "secretName"); former != secret {
		c.in.refuse(former, *c.workload, "is not the Secret of volume "+volume+" that the stack creates, "+secret, remedy)
	}
}

// mountToken mounts a token of the pod's service account, as HyperShift's CLI does. The pod assumes a role with it.
func (c *container) mountToken() {
	const volume = "token"
	c.mount(volume, "/var/run/secrets/openshift/serviceaccount")
	if named(c.volumes, volume) == nil {
		c.volumes = append(c.volumes, map[string]any{"name": volume, "projected": map[string]any{"sources": []any{
			map[string]any{"serviceAccountToken": map[string]any{"audience": "openshift", "path": "token"}},
		}}})
	}
}

func (c *container) mount(volume, path string) {
	if existing := named(c.list("volumeMounts"), volume); existing == nil {
		c.spec["volumeMounts"] = append(c.list("volumeMounts"), map[string]any{"name": volume, "mountPath": path})
	} else if former, _ := existing["mountPath"].(string); former != path {
		c.in.refuse(former, *c.workload, "is not where volume "+volume+" is mounted, "+path,
			"use the output of `"+renderLine+"`")
	}
}

// named returns the object of a list with a name, nil if there is none.
func named(list []any, name string) map[string]any {
	for _, each := range list {
		if object, isObject := each.(map[string]any); isObject && object["name"] == name {
			return object
		}
	}
	return nil
}
