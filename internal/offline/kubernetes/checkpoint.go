package kubernetes

import (
	"cmp"
	"maps"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Besides an object's own fields, pulumi-kubernetes stores in its state the inputs and the field manager, for objects of each kind.
const (
	inputsKey     = "__inputs"
	ManagerKey    = "__fieldManager"
	apiVersionKey = "__initialApiVersion"
)

// checkpoint returns an object in the form in which the engine stores it.
func (k *ObjectKind) checkpoint(object, inputs props.Map, manager string) props.Map {
	given := inputs.Clone()
	if k.kind == "Secret" {
		for _, name := range k.data {
			if given.Has(name) {
				given[name] = props.Secret{Value: given[name]}
			}
		}
	}
	out := object.Clone()
	out[inputsKey] = map[string]any(given)
	out[ManagerKey] = manager
	out[apiVersionKey] = k.apiVersion
	return out
}

// live returns the object of a checkpoint.
func live(p props.Map) props.Map {
	object := maps.Clone(p)
	maps.DeleteFunc(object, func(key string, _ any) bool { return strings.HasPrefix(key, "__") })
	return object
}

// asManager returns the options for applying an object: the manager of an annotation, otherwise the one in the state, otherwise a new one
// for the resource.
func asManager(config, state, inputs props.Map) WriteOptions {
	manager := Annotation(inputs, "pulumi.com/patchFieldManager")
	manager = cmp.Or(manager, state.String(ManagerKey))
	manager = cmp.Or(manager, "pulumi-kubernetes-"+ids.RandomOf("0123456789abcdef", 8))
	force := Annotation(inputs, "pulumi.com/patchForce") == "true" || config.String("enablePatchForce") == "true" || config.Bool("enablePatchForce")
	return WriteOptions{manager: manager, force: force, former: state.String(ManagerKey)}
}
