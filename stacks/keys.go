package stacks

import "reflect"

// ConfigKeys lists every key of the config by its path below the project's namespace, such as
// "cluster.network.vpcCIDR".
func ConfigKeys() []string {
	keys := []string{"kind"}
	keys = append(keys, keysOf("management", reflect.TypeFor[ManagementConfig]())...)
	return append(keys, keysOf("cluster", reflect.TypeFor[ClusterConfig]())...)
}

// keysOf lists the keys of a struct's scalars and lists; a list's items are a value, not keys, and what
// decodes itself or has a short form is documented as a whole.
func keysOf(path string, t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[selfDecoding]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[shorthand]()) {
		return []string{path}
	}
	var keys []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" {
			keys = append(keys, keysOf(path+"."+key, t.Field(i).Type)...)
		}
	}
	return keys
}
