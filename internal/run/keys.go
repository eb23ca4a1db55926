package run

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

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
	var keys []*clusterstatus.ObjectKey
	versions := map[string]string{}
	for _, res := range resources {
		if key := identity.ObjectOf(res); key != nil && key.Kind == "Secret" {
			keys = append(keys, key)
			versions[key.Name] = props.Map(res.Outputs).String("metadata", "resourceVersion")
		}
	}
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
				lost = append(lost, key.String()+" with the key of the state")
			case recorded.IsFirstEtcdKey(key.Name) && (versions[key.Name] == "" ||
				versions[key.Name] != now.String("metadata", "resourceVersion")):
				first, content = key, now.String("data", "key")
			}
		}
		return nil
	})
	if first != nil { // without the passphrase nothing is compared
		if recorded := recordedKey(ctx, s, first); recorded != "" && recorded != content {
			lost = append(lost, first.String()+" with the key of the state")
		}
	}
	return lost, nil
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
