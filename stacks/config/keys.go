package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
)

// Type returns the struct of a kind's section; nil for an unknown kind.
func (kinds Kinds) Type(kind Kind) reflect.Type {
	for _, d := range kinds {
		if d.Kind == kind {
			return reflect.TypeOf(d.Section()).Elem()
		}
	}
	return nil
}

// Keys lists every key of the config by its path below the project's namespace, such as "cluster.network.vpcCIDR".
func (kinds Kinds) Keys() []string {
	keys := []string{"kind"}
	for _, kind := range kinds.Names() {
		keys = append(keys, keysOf(string(kind), kinds.Type(kind))...)
	}
	return keys
}

// keysOf lists the keys of a struct's scalars and lists; the items of a list are a value, not keys, and an account or a
// type that can be given as a string is a single key.
func keysOf(path string, t reflect.Type) []string {
	t = configfield.Indirect(t)
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[Account]() || configfield.IsText(t) {
		return []string{path}
	}
	var keys []string
	for _, field := range configfield.All(t) {
		keys = append(keys, keysOf(path+"."+field.Key, field.Type)...)
		if field.FileKey != "" {
			keys = append(keys, path+"."+field.FileKey)
		}
	}
	return keys
}

// suggest returns the key that was probably meant, if one differs only in case or in few letters, or why there can be
// no such key, otherwise all keys.
func suggest(key string, known []string) string {
	if name := configfield.Nearest(key, known); name != "" {
		return "did you mean " + name + "?"
	}
	if where := noNodes(key); where != "" {
		return "HyperShift has no nodes " + where + ": use availability zones of the region"
	}
	sorted := slices.Sorted(slices.Values(known))
	return "the keys here are " + strings.Join(sorted, ", ")
}

// noNodes returns the place outside the availability zones for which a key asks, "" for other keys.
func noNodes(key string) string {
	switch key = strings.ToLower(key); {
	case strings.Contains(key, "outpost"):
		return "on Outposts"
	case strings.Contains(key, "wavelength"):
		return "in Wavelength Zones"
	case strings.HasPrefix(key, "localzones"):
		return "in Local Zones"
	}
	return ""
}

// suggestIn is like suggest for a key within a section: if the section has the key elsewhere, it returns where, unless
// two places are as likely. It names a key of the AWS provider, such as aws:region.
func suggestIn(section reflect.Type, key string, known []string) string {
	if section == nil || configfield.Nearest(key, known) != "" {
		return suggest(key, known)
	}
	found := places(section, key, "")
	depth := func(path string) int { return strings.Count(path, ".") }
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(depth(a), depth(b)) })
	if len(found) == 1 || len(found) > 1 && depth(found[0]) < depth(found[1]) {
		return found[0] + " has this key; " + suggest(key, known)
	}
	if slices.Contains(providerKeys(), key) {
		return OwnPrefix + key + " is the stack's own, beside the section; " + suggest(key, known)
	}
	return suggest(key, known)
}

// places returns the paths of the mappings in a section that have a key. The path of a list ends with "[]".
func places(t reflect.Type, key, path string) (found []string) {
	for _, field := range configfield.All(t) {
		at := dotted(path, field.Key)
		if field.Key == key || field.FileKey == key {
			found = append(found, cmp.Or(path, "the section itself"))
		}
		inner := configfield.Indirect(field.Type)
		if inner.Kind() == reflect.Slice {
			inner, at = configfield.Indirect(inner.Elem()), at+"[]"
		}
		if inner.Kind() == reflect.Struct && inner != t {
			found = append(found, places(inner, key, at)...)
		}
	}
	return found
}
