package management

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestThePathAndTheBoundaryOfIdentitiesAreChecked(t *testing.T) {
	t.Parallel()
	require.NoError(t, IdentityOptions{}.Validate())
	require.NoError(t, IdentityOptions{
		Path: "/platform/", PermissionsBoundary: pulumi.String("arn:aws:iam::123456789012:policy/team/boundary"),
	}.Validate())
	require.Equal(t, "path", fault.In(IdentityOptions{Path: "platform"}.Validate())[0].Path)
	require.Equal(t, "permissionsBoundary", fault.In(IdentityOptions{
		PermissionsBoundary: pulumi.String("boundary"),
	}.Validate())[0].Path)
}

func TestEachRoleAndUserOfEachOptionHasThePathAndTheBoundary(t *testing.T) {
	t.Parallel()
	const boundary = "arn:aws:iam::111122223333:policy/boundary"
	checked := map[string]bool{}
	for name, args := range options() {
		args.IAM = IdentityOptions{Path: "/platform/", PermissionsBoundary: pulumi.String(boundary)}
		r := newRecorder(commercial())
		r.mustRun(t, args)
		for _, made := range r.sorted() {
			if made.Type != "aws:iam/role:Role" && made.Type != "aws:iam/user:User" {
				continue
			}
			inputs, _ := made.Inputs.(map[string]any)
			require.Equal(t, "/platform/", inputs["path"], "%s: %s", name, made.Name)
			require.Equal(t, boundary, inputs["permissionsBoundary"], "%s: %s", name, made.Name)
			checked[made.Name] = true
		}
	}
	require.Greater(t, len(checked), 4)
}
