package render

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// etcdKeys are the AES keys of etcd of a cluster whose objects are in a stack's state. After a rotation, and during
// one, they are in Secrets with other names than that of a new cluster.
type etcdKeys struct {
	// encryption is spec.secretEncryption.aescbc of the HostedCluster, nil without one in the state.
	encryption map[string]any
	// contents are the keys in base64, by the names of their Secrets; none if secrets are not rendered.
	contents map[string]string
}

// readEtcdKeys reads the keys from a stack's state.
func readEtcdKeys(ctx context.Context, s *workspace.Stack, secrets bool) (etcdKeys, error) {
	keys, shown := etcdKeys{contents: map[string]string{}}, s.State
	if secrets {
		var err error
		if shown, err = s.ShownState(ctx); err != nil {
			return keys, err
		}
	}
	for _, r := range shown.InCloud() {
		object := identity.ObjectOf(r)
		switch {
		case r.Delete || object == nil:
		case object.Kind == crd.HostedCluster:
			spec, _ := r.Inputs["spec"].(map[string]any)
			encryption, _ := spec["secretEncryption"].(map[string]any)
			keys.encryption, _ = encryption["aescbc"].(map[string]any)
		case secrets && object.Kind == "Secret" && recorded.EtcdKeyPattern.MatchString(object.Name):
			data, _ := awsconfig.Unwrapped(r.Inputs["data"]).(map[string]any)
			if text, _ := awsconfig.Unwrapped(data["key"]).(string); text != "" {
				keys.contents[object.Name] = text
			}
		}
	}
	return keys, nil
}

// in gives rendered manifests the keys: the file with the Secret of a new cluster's key is replaced.
func (k etcdKeys) in(manifests []hostedcluster.Manifest, file string) []hostedcluster.Manifest {
	if k.encryption == nil {
		return manifests
	}
	var all []hostedcluster.Manifest
	for _, m := range manifests {
		switch {
		case m.File == file && len(k.contents) > 0:
			for _, name := range slices.Sorted(maps.Keys(k.contents)) {
				secret := runtime.DeepCopyJSON(m.Object)
				props.Map(secret).Object("metadata")["name"] = name
				props.Map(secret).Object("data")["key"] = k.contents[name]
				all = append(all, hostedcluster.Manifest{File: "10-secret-" + name + ".yaml", Object: secret})
			}
			continue
		case m.Object["kind"] == crd.HostedCluster:
			encryption, _ := props.Map(m.Object).Object("spec")["secretEncryption"].(map[string]any)
			if encryption["aescbc"] != nil {
				encryption["aescbc"] = k.encryption
			}
		}
		all = append(all, m)
	}
	return all
}
