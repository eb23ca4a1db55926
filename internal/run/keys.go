package run

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// keysExist fails if a Secret with a key, of which the state has the only other copy, is no longer in the management
// cluster: what takes it out of the state would lose it.
func keysExist(ctx context.Context, s *workspace.Stack, c *binding.Connection, operation gates.Operation) error {
	lost, err := LostKeys(ctx, s, c)
	if err != nil || len(lost) == 0 {
		return err
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the management cluster of stack %s no longer has %s, and the stack's state has the only copy of its key, which %s would "+
			"lose; nothing was changed", s.Name, strings.Join(lost, ", "), operation),
		Remedy: RestoreKeys(s.Name),
	}
}

// LostKeys returns the Secrets in a stack's state with keys that the living hosted cluster refers to, and that its
// management cluster no longer has, or has with another key of etcd; none if it does not answer.
func LostKeys(ctx context.Context, s *workspace.Stack, c *binding.Connection) ([]string, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	keys := keySecrets(resources)
	if len(keys) == 0 || binding.AppliedBy(s.File) == nil {
		return nil, nil
	}
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return nil, err
	}
	var lost []string
	var first *clusterstatus.ObjectKey // the Secret of the first key, if it was written since
	var content string                 // the key that it has now
	// what was not read, the engine reports
	_ = c.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		object, err := api.Get(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name)
		if err != nil || object == nil {
			return err
		}
		for _, key := range keys {
			if !clusterstatus.EncryptsWith(object, key.Name) && !generatedFor(s.File, object, key.Name) {
				continue // given by the file, or of a state that is older than a change of the key
			}
			live, err := api.Get(ctx, key.Kind, key.Namespace, key.Name)
			if err != nil {
				return err
			}
			now := props.Map(live)
			switch {
			case live == nil:
				lost = append(lost, key.String())
			case isOtherKey(key.Name, now.String("data", "key")):
				lost = append(lost, key.String()+otherKey)
			case recorded.IsFirstEtcdKey(key.Name) && key.writtenSince(now):
				first, content = key.ObjectKey, now.String("data", "key")
			}
		}
		return nil
	})
	if first != nil { // without the passphrase nothing is compared
		if recorded := recordedKey(ctx, s, first); recorded != "" && recorded != content {
			lost = append(lost, first.String()+otherKey)
		}
	}
	return lost, nil
}

// otherKey is what a Secret with another key than that of the state does not have.
const otherKey = " with the key of the state"

// keySecret is a Secret in a state, with its version in the management cluster when the state was written.
type keySecret struct {
	*clusterstatus.ObjectKey
	version string
}

// keySecrets returns the Secrets among the resources of a state.
func keySecrets(resources []apitype.ResourceV3) (secrets []keySecret) {
	for _, r := range resources {
		if key := identity.ObjectOf(r); key != nil && key.Kind == "Secret" {
			secrets = append(secrets, keySecret{key, props.Map(r.Outputs).String("metadata", "resourceVersion")})
		}
	}
	return secrets
}

// writtenSince reports whether the Secret may have been written since the state was.
func (k keySecret) writtenSince(now props.Map) bool {
	return k.version == "" || k.version != now.String("metadata", "resourceVersion")
}

// recordedKey returns the content of a key's Secret in the state, also of one that a later key replaces; "" if it
// cannot be read.
func recordedKey(ctx context.Context, s *workspace.Stack, key *clusterstatus.ObjectKey) string {
	shown, err := s.ShownState(ctx)
	if err != nil {
		return ""
	}
	for _, r := range shown.InCloud() {
		if found := identity.ObjectOf(r); !r.Delete && found != nil && found.String() == key.String() {
			data, _ := awsconfig.Unwrapped(r.Inputs["data"]).(map[string]any)
			text, _ := awsconfig.Unwrapped(data["key"]).(string)
			return text
		}
	}
	return ""
}

// isOtherKey reports whether the content of a Secret with a key of etcd, in base64, is another key than its name says.
func isOtherKey(secret, content string) bool {
	key, err := base64.StdEncoding.DecodeString(content)
	return recorded.EtcdKeyPattern.MatchString(secret) && !recorded.IsFirstEtcdKey(secret) &&
		(err != nil || !recorded.IsEtcdKey(secret, key))
}

// generatedFor reports whether a HostedCluster refers to the Secret for an SSH key that the program generated.
func generatedFor(file *config.File, object map[string]any, secret string) bool {
	cluster := config.As[*config.Cluster](file)
	return cluster != nil && cluster.HostedCluster != nil && cluster.HostedCluster.GenerateSSHKey &&
		props.Map(object).String("spec", "sshKey", "name") == secret
}

// RestoreKeys returns how a lost Secret with a key is restored from the stack's state.
func RestoreKeys(stack string) string {
	return fmt.Sprintf("run `hypershift-aws render DIR --secrets -s %s`, which has the key of the state, and apply the Secret's file of DIR with kubectl", stack)
}
