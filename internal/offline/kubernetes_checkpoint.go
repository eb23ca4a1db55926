package offline

import (
	"cmp"
	"maps"
	"strings"
)

// Beside an object's own fields, pulumi-kubernetes keeps in its state what it was given and as whom it applies.
const (
	inputsKey     = "__inputs"
	managerKey    = "__fieldManager"
	apiVersionKey = "__initialApiVersion"
)

// checkpoint is an object as the engine keeps it.
func (k *objectKind) checkpoint(object, inputs props, manager string) props {
	if !k.custom {
		return object
	}
	out := object.clone()
	out[inputsKey] = map[string]any(inputs.clone())
	out[managerKey] = manager
	out[apiVersionKey] = k.apiVersion
	return out
}

// live is the object in what the engine keeps.
func (p props) live() props {
	object := maps.Clone(p)
	maps.DeleteFunc(object, func(key string, _ any) bool { return strings.HasPrefix(key, "__") })
	return object
}

// asManager is how an object is applied: as the manager that an annotation names, else as the one that the state names,
// else as one of the resource's own.
func asManager(config, state, inputs props) asking {
	manager := inputs.annotation("pulumi.com/patchFieldManager")
	manager = cmp.Or(manager, state.text(managerKey))
	manager = cmp.Or(manager, "pulumi-kubernetes-"+randomOf("0123456789abcdef", 8))
	force := inputs.annotation("pulumi.com/patchForce") == "true" || config.text("enablePatchForce") == "true" || config.yes("enablePatchForce")
	return asking{manager: manager, force: force, former: state.text(managerKey)}
}
