package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
)

// fieldsForGo returns the fields that have no tag: a schema has no type for a resource of any kind or a function, and a
// program in another language leaves the lookup of the location to the component, and reads neither which fields other
// clients hold nor the status of a cluster, so that a new key of etcd is refused there.
func fieldsForGo() map[string]bool {
	return map[string]bool{
		"capa.Args.Explain":                         true,
		"capa.ClusterArgs.DependsOn":                true,
		"hostedcluster.Args.Dependencies":           true,
		"hostedcluster.Args.Egress":                 true,
		"hostedcluster.Args.NodeAddresses":          true,
		"hostedcluster.Args.EtcdKeyHash":            true,
		"hostedcluster.Args.Held":                   true,
		"hostedcluster.Args.Live":                   true,
		"hostedcluster.Args.Refused":                true,
		"hostedcluster.Args.Unpreviewed":            true,
		"hostedcluster.NodePoolsArgs.Dependencies":  true,
		"hostedcluster.NodePoolsArgs.Held":          true,
		"hostedcluster.NodePoolsArgs.Live":          true,
		"hostedcluster.NodePoolsArgs.Refused":       true,
		"hostedcluster.NodePoolsArgs.Unpreviewed":   true,
		"iam.OIDCDocumentsArgs.Refused":             true,
		"iam.RoleSetArgs.FormerKMSKeyARNs":          true,
		"iam.RoleSetArgs.Location":                  true,
		"management.InterruptionQueueArgs.Location": true,
		"management.OperatorArgs.Install":           true,
	}
}

// The inputs of a section are the keys of a stack's file, and have no tags of their own.
func TestEveryInputHasAPropertyNameAndATypeOfASchema(t *testing.T) {
	t.Parallel()
	for _, component := range componentplugin.Components() {
		if component.Section == "" {
			checkStruct(t, component.Token, component.Inputs, map[reflect.Type]bool{})
		}
	}
}

// checkStruct checks what pulumi's ConstructInputs.CopyTo needs: it ignores a field without a tag, and an embedded
// struct without one.
func checkStruct(t *testing.T, path string, of reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	if seen[of] {
		return
	}
	seen[of] = true
	for i := range of.NumField() {
		field := of.Field(i)
		at := path + "." + field.Name
		if !field.IsExported() || fieldsForGo()[of.String()+"."+field.Name] {
			continue
		}
		name, option, _ := strings.Cut(field.Tag.Get("pulumi"), ",")
		require.Regexp(t, "^[a-z][A-Za-z0-9]*$", name, "%s has no name in a tag pulumi", at)
		require.Contains(t, []string{"", "optional"}, option, at)
		require.False(t, field.Anonymous && option != "", "%s is embedded, and no property", at)
		checkType(t, at, field.Type, seen)
	}
}

func checkType(t *testing.T, at string, of reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	if of == reflect.TypeFor[*aws.Provider]() {
		return
	}
	if of.Implements(reflect.TypeFor[pulumi.Input]()) {
		require.False(t, of.Implements(reflect.TypeFor[pulumi.Resource]()), "%s is a resource", at)
		return
	}
	switch of.Kind() {
	case reflect.Bool, reflect.Int, reflect.Float64, reflect.String:
	case reflect.Pointer:
		checkType(t, at, of.Elem(), seen)
	case reflect.Slice:
		checkType(t, at+"[]", of.Elem(), seen)
	case reflect.Map:
		require.Equal(t, reflect.String, of.Key().Kind(), "%s has keys that are no strings", at)
		checkType(t, at+"[]", of.Elem(), seen)
	case reflect.Struct:
		checkStruct(t, at, of, seen)
	case reflect.Interface:
		require.Zero(t, of.NumMethod(), "%s is a %s, which no schema has", at, of)
	default:
		require.Fail(t, "type without a schema", "%s is a %s", at, of)
	}
}
