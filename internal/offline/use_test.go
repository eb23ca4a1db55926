package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsAskedOfTheAccountIsKnownAfterwards(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	e := attach(t, server, props{"region": "cn-north-1", "assumeRole": `{"roleArn":"arn:aws-cn:iam::111111111111:role/x"}`})
	_, _ = e.check(roleToken, props{"name": "r", "assumeRolePolicy": trustText, "path": unknown{}})
	_, err := e.invoke("aws:iam/getRoles:getRoles", props{"pathPrefix": "/"})
	require.NoError(t, err)
	uses := server.Uses()
	require.Len(t, uses, 2)
	require.Equal(t, roleToken, uses[0].Token)
	require.Equal(t, "r", uses[0].Inputs["name"])
	require.NotContains(t, uses[0].Inputs, "path", "what is not known yet")
	require.Equal(t, Use{Token: "aws:iam/getRoles:getRoles", Account: "111111111111", Named: true, Region: "cn-north-1",
		Partition: "aws-cn", Inputs: map[string]any{"pathPrefix": "/"}}, uses[1])

	attach(t, server, props{"region": "us-east-1"}).role("r")
	require.False(t, server.Uses()[2].Named, "an account that is made up")
}

func TestTokensAreAllTypesAndFunctions(t *testing.T) {
	t.Parallel()
	require.Len(t, Tokens(), len(knownTypes().kinds)+len(knownTypes().functions))
	require.Contains(t, Tokens(), roleToken)
	require.Contains(t, Tokens(), "aws:iam/getRoles:getRoles")
}
