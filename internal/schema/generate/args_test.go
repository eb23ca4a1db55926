package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
)

// argsOfComponents returns the inputs of the components, by the constructor. The nil one is for Go programs only: its args have interfaces.
func argsOfComponents() map[string]any {
	return map[string]any{
		"capa.NewCluster":                 capa.ClusterArgs{},
		"capa.NewInfrastructure":          capa.Args{},
		"capa.NewInstanceProfiles":        capa.InstanceProfilesArgs{},
		"capa.NewSecurityGroups":          capa.SecurityGroupsArgs{},
		"hostedcluster.NewHostedCluster":  hostedcluster.Args{},
		"hostedcluster.NewNodePools":      hostedcluster.NodePoolsArgs{},
		"iam.NewOIDCDocuments":            iam.OIDCDocumentsArgs{},
		"iam.NewOIDCProvider":             iam.OIDCProviderArgs{},
		"iam.NewRoleSet":                  iam.RoleSetArgs{},
		"iam.NewSharedVPCRoles":           iam.SharedVPCRolesArgs{},
		"iam.NewWorkerProfile":            iam.WorkerProfileArgs{},
		"iam.NewWorkloadRole":             iam.WorkloadRoleArgs{},
		"kubernetes.NewInstallObjects":    kubernetes.InstallObjectsArgs{},
		"management.NewInterruptionQueue": management.InterruptionQueueArgs{},
		"management.NewPrerequisites":     management.PrerequisitesArgs{},
		"network.NewBaseNetwork":          nil,
		"network.NewGuestNetwork":         network.GuestNetworkArgs{},
		"privatelink.NewEndpoint":         privatelink.EndpointArgs{},
		"privatelink.NewEndpointService":  privatelink.EndpointServiceArgs{},
	}
}

// fieldsForGo returns the fields that have no tag: a schema has no type for a resource of any kind or a function, and a program in another
// language leaves the lookup of the location to the component, and reads neither which fields other clients hold
// nor the status of a cluster, so that a new key of etcd is refused there.
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

func TestEveryInputHasAPropertyNameAndATypeOfASchema(t *testing.T) {
	t.Parallel()
	for constructor, value := range argsOfComponents() {
		if value != nil {
			checkStruct(t, constructor, reflect.TypeOf(value), map[reflect.Type]bool{})
		}
	}
}

// checkStruct checks what pulumi's ConstructInputs.CopyTo needs: it ignores a field without a tag, and an embedded struct without one.
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

func TestEveryComponentIsChecked(t *testing.T) {
	t.Parallel()
	components := filepath.Join("..", "..", "..", "components")
	found := map[string]bool{}
	for _, pattern := range []string{"*/*.go", "*/*/*.go"} {
		files, err := filepath.Glob(filepath.Join(components, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, filepath.Join(components, "internal")) {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			for _, declared := range file.Decls {
				if f, ok := declared.(*ast.FuncDecl); ok && isConstructor(f) {
					found[file.Name.Name+"."+f.Name.Name] = true
				}
			}
		}
	}
	for constructor := range argsOfComponents() {
		require.True(t, found[constructor], "%s is no constructor", constructor)
		delete(found, constructor)
	}
	require.Empty(t, found, "constructors whose args are not checked")
}

// isConstructor reports whether a function has the form of a component's constructor: New…(ctx, name, args, opts...).
func isConstructor(f *ast.FuncDecl) bool {
	if f.Recv != nil || !strings.HasPrefix(f.Name.Name, "New") || f.Type.Params.NumFields() != 4 {
		return false
	}
	params := f.Type.Params.List
	_, variadic := params[len(params)-1].Type.(*ast.Ellipsis)
	return variadic && len(params[0].Names) == 1 && params[0].Names[0].Name == "ctx"
}
