package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestRequestsToTheAccountAreListed(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	e := attach(t, server, props.Map{"region": "cn-north-1", "assumeRole": `{"roleArn":"arn:aws-cn:iam::111111111111:role/x"}`})
	_, _ = e.check(awstype.Role, props.Map{"name": "r", "assumeRolePolicy": trustText, "path": props.Unknown{}})
	_, err := e.invoke("aws:iam/getRoles:getRoles", props.Map{"pathPrefix": "/"})
	require.NoError(t, err)
	uses := server.Uses()
	require.Len(t, uses, 2)
	require.Equal(t, awstype.Role, uses[0].Token)
	require.Equal(t, "r", uses[0].Inputs["name"])
	require.NotContains(t, uses[0].Inputs, "path", "what is not known yet")
	require.Equal(t, permissions.Need{Token: "aws:iam/getRoles:getRoles", Account: "111111111111", AccountNamed: true,
		Region:    "cn-north-1",
		Partition: "aws-cn", Inputs: map[string]any{"pathPrefix": "/"}}, uses[1])

	attach(t, server, props.Map{"region": "us-east-1"}).role("r")
	require.False(t, server.Uses()[2].AccountNamed, "an account that is made up")
}

func TestTokensAreAllTypesAndFunctions(t *testing.T) {
	t.Parallel()
	require.Len(t, Tokens(), len(catalogue().Kinds)+len(catalogue().Functions))
	require.Contains(t, Tokens(), awstype.Role)
	require.Contains(t, Tokens(), "aws:iam/getRoles:getRoles")
}

func TestTheNeedsOfEveryTypeAndFunctionAreKnownAndNoOthers(t *testing.T) {
	t.Parallel()
	require.Equal(t, Tokens(), permissions.Tokens())
}
