package guarded

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Protection is who protects the instances of a type in the state, beside the guard, and until when.
type Protection string

const (
	// ForCluster is the protection of what goes with a cluster, until a destroy deletes the cluster itself.
	ForCluster Protection = "cluster"
	// ForUsers is the protection of what clusters of other stacks use, until the stack's file has `unprotected: true`.
	ForUsers Protection = "users"
)

// Type is what the guard knows about a type of resources.
type Type struct {
	// Token is Pulumi's. One of Kubernetes stands for every version of its API.
	Token string
	// Name matches the names of the objects that the entry is for. Default all.
	Name *regexp.Regexp
	// Needed is what living clusters need an instance for, as a phrase: "their nodes run in it". Unneeded is why none depends on instances. Each type
	// has one of them.
	Needed, Unneeded string
	// Remedy is how to get to the new instance in steps that harm nothing; "" if the cause of a change determines it.
	Remedy string
	// Staged is true if instances are replaced in stages, which the component judges. The guard leaves them to it.
	Staged bool
	// Fixed are the inputs of a guarded type that cannot be changed: another value replaces the instance.
	Fixed []string
	// Within are the inputs of a guarded type that refer to what an instance is part of: if that is replaced or deleted, the instance needs no
	// permission of its own. Such a type can be created again as it was, but a running cluster is cut off without it.
	Within []string
	// Protected is the protection in the state, "" for none. States of earlier versions may not have it.
	Protected Protection
}

// Guarded reports whether a plan that replaces or deletes an instance is refused, unless it is allowed by name.
func (t Type) Guarded() bool { return t.Needed != "" && !t.Staged }

// All returns the types in the order of their tokens. A token has several entries if the names of objects decide.
func All() []Type {
	all := slices.Concat(awsTypes(), kubernetesTypes(), unneeded())
	slices.SortStableFunc(all, func(a, b Type) int { return strings.Compare(a.Token, b.Token) })
	return all
}

// byToken has the types by their tokens without versions, built once: they are read for each step of a plan.
var byToken = sync.OnceValue(func() map[string][]Type {
	types := map[string][]Type{}
	for _, t := range All() {
		types[withoutVersion(t.Token)] = append(types[withoutVersion(t.Token)], t)
	}
	return types
})

// versionOf matches the version of the API in the token of a Kubernetes type.
var versionOf = regexp.MustCompile(`^(kubernetes:[^/:]+)/[^:]+:`)

func withoutVersion(token string) string { return versionOf.ReplaceAllString(token, "$1:") }

// Of returns the entry for a type and, if it is one of Kubernetes, the name of the object. It reports false for a type that is not in the list.
func Of(token, object string) (Type, bool) {
	types := byToken()[withoutVersion(token)]
	i := slices.IndexFunc(types, func(t Type) bool { return t.Name == nil || t.Name.MatchString(object) })
	if i < 0 {
		return Type{}, false
	}
	return types[i], true
}

// Any reports whether an instance of the type can be guarded.
func Any(token string) bool {
	return slices.ContainsFunc(byToken()[withoutVersion(token)], Type.Guarded)
}

// Protects reports whether stacks protect instances of the type, in this way.
func Protects(token string, by Protection) bool {
	return slices.ContainsFunc(byToken()[withoutVersion(token)], func(t Type) bool { return t.Protected == by })
}
