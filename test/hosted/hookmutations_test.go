package hosted

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// withoutHooks returns a program whose resources of a type have no hooks.
func withoutHooks(program pulumi.RunFunc, typeSuffix string) pulumi.RunFunc {
	drop := func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
		if !strings.HasSuffix(args.Type, typeSuffix) {
			return nil
		}
		var kept []pulumi.ResourceOption
		for _, option := range args.Opts {
			if set, err := pulumi.NewResourceOptions(option); err != nil || set.Hooks == nil {
				kept = append(kept, option)
			}
		}
		return &pulumi.ResourceTransformationResult{Props: args.Props, Opts: kept}
	}
	return func(ctx *pulumi.Context) error {
		if err := ctx.RegisterStackTransformation(drop); err != nil {
			return err
		}
		return program(ctx)
	}
}

// TestWithoutAHookASequenceHarmsALivingCluster has a kept sequence for each hook that protects a cluster: with the hook
// it is refused and nothing changes, without it something that the cluster needs does.
func TestWithoutAHookASequenceHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "etcd.key")
	write := func(path, text string) {
		require.NoError(t, os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString([]byte(text))), 0o600))
	}
	write(key, "an etcd key of thirty-two bytes!")
	other := key + ".other"
	write(other, "another key of thirty-two bytes!")
	pools := "      nodePools: [{zone: us-east-1a, release: quay.io/openshift-release-dev/ocp-release:4.18.0-x86_64}]\n"
	hosted := strings.Replace(stackfile.WithHostedCluster(t, "      etcdKey: "+key+"\n"+pools).String(),
		stackfile.KMSKeyARN, "none", 1)
	network := stackfile.Cluster{Zones: stackfile.ZoneNames(1), Access: "Public", NAT: "Single"}.String()
	planned := stackfile.KMSKeyARN
	roles := func(ctx *pulumi.Context) error {
		_, err := iam.NewRoleSet(ctx, "roles", roleSetWithKey(planned))
		return err
	}
	var signers [2]string
	for i := range signers {
		signers[i] = iam.SigningKeyPEM(harness.Signer(t, filepath.Join(t.TempDir(), "signer.key")))
	}
	signing := signers[0]
	documents := func(ctx *pulumi.Context) error {
		_, err := iam.NewOIDCDocuments(ctx, "documents", &iam.OIDCDocumentsArgs{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BucketName: pulumi.String("demo-oidc"),
			IssuerURL: pulumi.String(demoIssuer), SigningKey: pulumi.String(signing),
		})
		return err
	}
	for name, c := range sizes.Only(t, map[string]struct {
		// hooked is the end of the type of the resources with the hook.
		hooked  string
		program pulumi.RunFunc
		config  string
		// act is the last step of the sequence; its error is the refusal.
		act func(*enginetest.Stack) error
		// stands returns what the cluster needs.
		stands func(*enginetest.Stack) string
	}{
		"DestroyGuard, pulumi destroy": {
			":DestroyGuard", stacks.Run, network,
			func(s *enginetest.Stack) error { _, err := s.DestroyErr(); return err },
			func(s *enginetest.Stack) string { return fmt.Sprint(len(s.Resources())) },
		},
		"DestroyGuard, pulumi destroy --run-program": {
			":DestroyGuard", stacks.Run, network,
			func(s *enginetest.Stack) error { _, err := s.DestroyErr(optdestroy.RunProgram(true)); return err },
			func(s *enginetest.Stack) string { return fmt.Sprint(len(s.Resources())) },
		},
		"HostedCluster, an older release": {
			"v1beta1:HostedCluster", stacks.Run, hosted,
			func(s *enginetest.Stack) error {
				s.Configure(strings.Replace(hosted, "ocp-release:4.19.0", "ocp-release:4.18.9", 1))
				_, err := s.UpErr()
				return err
			},
			func(s *enginetest.Stack) string { return inputsOf(t, s, "v1beta1:HostedCluster") },
		},
		"NodePool, an older release": {
			"v1beta1:NodePool", stacks.Run, hosted,
			func(s *enginetest.Stack) error {
				s.Configure(strings.Replace(hosted, "ocp-release:4.18.0", "ocp-release:4.17.0", 1))
				_, err := s.UpErr()
				return err
			},
			func(s *enginetest.Stack) string { return inputsOf(t, s, "v1beta1:NodePool") },
		},
		"Secret, another key of etcd": {
			":Secret", stacks.Run, hosted,
			func(s *enginetest.Stack) error {
				s.Configure(strings.Replace(hosted, "etcdKey: "+key, "etcdKey: "+other, 1))
				_, err := s.UpErr()
				return err
			},
			func(s *enginetest.Stack) string { return secretOf(t, s, "-etcd-encryption-key") },
		},
		"OIDC documents, another signing key": {
			":BucketObjectv2", documents, "config:\n  aws:region: us-east-1\n",
			func(s *enginetest.Stack) error {
				signing = signers[1]
				defer func() { signing = signers[0] }()
				_, err := s.UpErr()
				return err
			},
			func(s *enginetest.Stack) string { return document(s, "openid/v1/jwks") },
		},
		"role policy, another KMS key": {
			":RolePolicy", roles, "config:\n  aws:region: us-east-1\n",
			func(s *enginetest.Stack) error {
				planned = otherKey
				defer func() { planned = stackfile.KMSKeyARN }()
				_, err := s.UpErr()
				return err
			},
			func(s *enginetest.Stack) string { return inputsOf(t, s, ":RolePolicy") },
		},
	}, "HostedCluster, an older release") {
		t.Run(name, func(t *testing.T) {
			for _, hooked := range []bool{true, false} {
				run := c.program
				if !hooked {
					run = withoutHooks(run, c.hooked)
				}
				stack := enginetest.New(t, run, enginetest.Options{Seeds: append(stackfile.Seeds(),
					offline.Seed{Kind: offline.SeedKMSKey, Name: otherKey},
					offline.Seed{Kind: offline.SeedBucket, Name: "demo-oidc"})})
				stack.Configure(c.config)
				stack.Up()
				before := c.stands(stack)
				require.NotEmpty(t, before)
				err := c.act(stack)
				if hooked {
					require.Error(t, err)
					require.Equal(t, before, c.stands(stack))
					continue
				}
				require.NotEqual(t, before, c.stands(stack), "nothing is harmed without the hook: %v", err)
			}
		})
	}
}

// inputsOf returns the inputs of the resources of a type in the state.
func inputsOf(t *testing.T, s *enginetest.Stack, typeSuffix string) string {
	t.Helper()
	var all []string
	for _, r := range s.State() {
		if strings.HasSuffix(string(r.Type), typeSuffix) {
			all = append(all, fmt.Sprint(r.URN, r.Inputs))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// secretOf returns the content of the Secret in the management cluster whose name ends so.
func secretOf(t *testing.T, s *enginetest.Stack, suffix string) string {
	t.Helper()
	for _, o := range s.Objects() {
		if o.Kind == "Secret" && strings.HasSuffix(o.ID, suffix) {
			return fmt.Sprint(o.Properties["data"])
		}
	}
	return ""
}

// roleSetWithKey returns the args of roles with a KMS key.
func roleSetWithKey(key string) *iam.RoleSetArgs {
	arn := func(text string) pulumi.StringInput { return pulumi.String(text) }
	return &iam.RoleSetArgs{
		Cluster:         hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
		OIDCProviderARN: arn("arn:aws:iam::123456789012:oidc-provider/oidc.example.com/demo-x1"),
		IssuerURL:       arn("https://oidc.example.com/demo-x1"),
		WorkerRoleARN:   arn("arn:aws:iam::123456789012:role/demo-x1-worker-role"),
		PublicZoneARN:   arn("arn:aws:route53:::hostedzone/Z1"),
		PrivateZoneARN:  arn("arn:aws:route53:::hostedzone/Z2"), KMSKeyARN: arn(key),
	}
}
