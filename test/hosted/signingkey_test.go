package hosted

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// newSigning returns a stack, the config of a cluster with its own signing key and, in place of OIDC, another one.
func newSigning(t *testing.T) (stack *enginetest.Stack, config, path string, key *rsa.PrivateKey) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "signer.key")
	key = harness.Signer(t, path)
	stack = enginetest.New(t, stacks.Run, enginetest.Options{
		Seeds: append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedBucket, Name: "demo-oidc"}),
	})
	config = strings.Replace(stackfile.WithHostedCluster(t, "").String(), "bucketRegion: us-east-1}",
		"bucketRegion: us-east-1, signingKey: "+path+"}", 1)
	return stack, config, path, key
}

// document returns the content of the cluster's document in the OIDC bucket, "" if there is none.
func document(s *enginetest.Stack, path string) string {
	for _, r := range s.Resources() {
		if r.Type == awstype.BucketObject && r.ID == "demo-oidc/demo-x1/"+path {
			content, _ := r.Properties["content"].(string)
			return content
		}
	}
	return ""
}

// verify verifies a token as AWS does: by the documents of its issuer alone.
func verify(t *testing.T, s *enginetest.Stack, token string) {
	t.Helper()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	decode := func(text string, into any) {
		plain, err := base64.RawURLEncoding.DecodeString(text)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(plain, into))
	}
	var header struct{ Alg, Kid string }
	var claims struct{ Iss string }
	decode(parts[0], &header)
	decode(parts[1], &claims)
	var configuration struct {
		Issuer string
		JWKS   string   `json:"jwks_uri"`
		Algs   []string `json:"id_token_signing_alg_values_supported"`
	}
	require.NoError(t, json.Unmarshal([]byte(document(s, ".well-known/openid-configuration")), &configuration))
	require.Equal(t, claims.Iss, configuration.Issuer)
	require.Contains(t, configuration.Algs, header.Alg)
	path, below := strings.CutPrefix(configuration.JWKS, claims.Iss+"/")
	require.True(t, below, configuration.JWKS)
	var jwks struct{ Keys []struct{ Kid, N, E string } }
	require.NoError(t, json.Unmarshal([]byte(document(s, path)), &jwks))
	require.Len(t, jwks.Keys, 1)
	require.Equal(t, header.Kid, jwks.Keys[0].Kid)
	number := func(text string) *big.Int {
		plain, err := base64.RawURLEncoding.DecodeString(text)
		require.NoError(t, err)
		return new(big.Int).SetBytes(plain)
	}
	public := &rsa.PublicKey{N: number(jwks.Keys[0].N), E: int(number(jwks.Keys[0].E).Int64())}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	require.NoError(t, rsa.VerifyPKCS1v15(public, crypto.SHA256, sum[:], signature))
}

// sign returns a token as kube-apiserver signs it with the key in the Secret that the HostedCluster refers to.
func sign(t *testing.T, s *enginetest.Stack, issuer string) string {
	t.Helper()
	var secret, signing string
	for _, o := range s.Objects() {
		if o.Kind == "HostedCluster" {
			spec, _ := o.Properties["spec"].(map[string]any)
			reference, _ := spec["serviceAccountSigningKey"].(map[string]any)
			secret, _ = reference["name"].(string)
			require.Equal(t, issuer, spec["issuerURL"])
		}
	}
	require.NotEmpty(t, secret)
	for _, o := range s.Objects() {
		if data, _ := o.Properties["data"].(map[string]any); o.Kind == "Secret" && strings.HasSuffix(o.ID, "/"+secret) {
			signing, _ = data["key"].(string)
		}
	}
	text, err := base64.StdEncoding.DecodeString(signing)
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes) // HyperShift reads no other format
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	id := sha256.Sum256(der)
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"alg":"RS256","kid":"`+encode(id[:])+`"}`)) + "." + encode([]byte(`{"iss":"`+issuer+`","aud":["openshift"]}`))
	sum := sha256.Sum256([]byte(token))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	require.NoError(t, err)
	return token + "." + encode(signature)
}

const demoIssuer = "https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"

func TestTokensOfACLustersOwnKeyAreVerifiedByTheDocumentsThatTheStackWrites(t *testing.T) {
	t.Parallel()
	stack, config, _, _ := newSigning(t)
	stack.Configure(config)
	stack.Up()
	verify(t, stack, sign(t, stack, demoIssuer))
	stack.RequireStable()
	outputs, err := stack.Outputs(context.Background())
	require.NoError(t, err)
	id, _ := outputs["signingKeyID"].Value.(string)
	require.Contains(t, document(stack, "openid/v1/jwks"), `"kid": "`+id+`"`)
	require.False(t, outputs["signingKeyID"].Secret, "everyone may read the ID")

	_, err = stack.DestroyErr()
	require.Error(t, err)
	require.NotEmpty(t, document(stack, "openid/v1/jwks"))
	stack.Configure(strings.Replace(config, "    hostedCluster:\n", "    hostedCluster:\n      unprotected: true\n", 1))
	stack.Up()
	stack.Destroy()
	require.Empty(t, document(stack, "openid/v1/jwks"))
}

func TestNoUpdateAddsRemovesOrChangesTheSigningKeyOfAnExistingCluster(t *testing.T) {
	t.Parallel()
	const path = "hypershift-aws:cluster.oidc.signingKey"
	stack, config, file, _ := newSigning(t)
	without := strings.Replace(config, ", signingKey: "+file, "", 1)
	stack.Configure(config)
	stack.Up()
	former, err := os.ReadFile(file)
	require.NoError(t, err)
	harness.Signer(t, file)
	enginetest.RequireRefused(t, stack, config, path, "restore the previous key")
	enginetest.RequireRefused(t, stack, without, path, "signing")
	require.NoError(t, os.WriteFile(file, former, 0o600))
	stack.Configure(config)
	require.Empty(t, stack.Preview(), "nothing was changed")
	verify(t, stack, sign(t, stack, demoIssuer))

	other := enginetest.New(t, stacks.Run, enginetest.Options{
		Seeds: append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedBucket, Name: "demo-oidc"}),
	})
	other.Configure(without)
	other.Up()
	written := document(other, "openid/v1/jwks")
	require.NotEmpty(t, written, "HyperShift's operator writes the documents of its own key")
	enginetest.RequireRefused(t, other, config, path, "HyperShift generate")
	require.Equal(t, written, document(other, "openid/v1/jwks"))
}

// A cluster that GitOps applies has no HostedCluster in the stack, and its documents are its stack's nevertheless.
func TestTheDocumentsOfAStackWithoutAHostedClusterKeepTheirKey(t *testing.T) {
	t.Parallel()
	stack, config, file, _ := newSigning(t)
	config, _, _ = strings.Cut(config, "    hostedCluster:\n")
	stack.Configure(config)
	stack.Up()
	written := document(stack, "openid/v1/jwks")
	former, err := os.ReadFile(file)
	require.NoError(t, err)
	harness.Signer(t, file)
	enginetest.RequireRefused(t, stack, config, "hypershift-aws:cluster.oidc.signingKey")
	enginetest.RequireRefused(t, stack, strings.Replace(config, ", signingKey: "+file, "", 1),
		"hypershift-aws:cluster.oidc.signingKey")
	require.NoError(t, os.WriteFile(file, former, 0o600))
	stack.Configure(config)
	require.Empty(t, stack.Preview())
	require.Equal(t, written, document(stack, "openid/v1/jwks"))
}

func TestASigningKeyIsASecretInTheState(t *testing.T) {
	t.Parallel()
	stack, config, file, _ := newSigning(t)
	stack.Configure(config)
	stack.Up()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	body := base64.StdEncoding.EncodeToString(block.Bytes)[64:128]
	var secrets []apitype.ResourceV3
	for _, r := range stack.State() {
		inputs, err := json.Marshal([]any{r.Inputs, r.Outputs})
		require.NoError(t, err)
		require.NotContains(t, string(inputs), "PRIVATE KEY", r.URN)
		require.NotContains(t, string(inputs), body, r.URN)
		if strings.HasSuffix(r.URN.Name(), "-sa-token-issuer-key") {
			secrets = append(secrets, r)
		}
	}
	require.Len(t, secrets, 1)
	require.True(t, secrets[0].Protect)
}
