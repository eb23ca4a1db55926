package hostedcluster

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// notStaged is why no key of etcd can be changed.
const notStaged = "what etcd stores could no longer be read; the key is replaced only in stages, which follow from a status that clusters report from release 4.22 on"

// judgeHarm refuses changes that HyperShift's API accepts, and that would harm an existing cluster: an older release,
// and another encryption of etcd, unless its key is replaced in stages. The paths of the faults are paths in the
// cluster's config.
func (l *Live) judgeHarm(old, object map[string]any, staged bool) error {
	var faults fault.Faults
	switch textAt(object, "kind") {
	case crd.HostedCluster:
		if before, after := encryptionIn(old).current(), encryptionIn(object).current(); before != after && (!staged ||
			before.kind != after.kind) {
			faults.Add("kmsKeyARN", after.key(), fmt.Sprintf("changes the encryption of etcd of an existing cluster from %s to %s: %s, and that was not read or is not there (the cluster has %s)",
				before, after, notStaged, releaseIn(old)), "set kmsKeyARN: "+before.key())
		}
		faults.Join("", judgeSigner(textAt(object, "metadata", "name"), signingKeyIn(old), signingKeyIn(object)))
		if before, after := releaseIn(old), releaseIn(object); l.isOlder(after, before) {
			faults.Add("release", after, "is older than "+before+
				", the release of the existing cluster: control planes cannot be downgraded",
				"restore release: "+before)
		}
	case crd.NodePool:
		// HyperShift refuses only an older minor version: an older patch replaces the nodes.
		if before, after := releaseIn(old), releaseIn(object); l.isOlderMinor(after, before) {
			faults.Add("nodePools["+textAt(object, "metadata", "name")+"].release", after,
				"is older than "+before+", the release of the existing node pool: HyperShift does not downgrade nodes to another minor version",
				"restore release: "+before+", or create another pool")
		}
	}
	return faults.Err()
}

// judgePause refuses to take the nodes of a cluster while something needs them to end, and an upgrade that cannot end
// without them. The paths of its faults are paths in Settings.
func (s *Settings) judgePause(live *Live, old, object map[string]any) error {
	const path = "nodesPausedSince"
	refuse := func(problem, remedy string, args ...any) error {
		return &fault.Fault{
			Path: path, Value: s.NodesPausedSince, Problem: fmt.Sprintf(problem, args...), Remedy: remedy,
		}
	}
	if s.NodesPausedSince == "" {
		return nil
	}
	if textAt(object, "kind") == crd.HostedCluster {
		if before, after := releaseIn(old), releaseIn(object); before != after {
			return refuse("conflicts with release %s: the upgrade from %s ends only with nodes, on which the cluster's operators run",
				"restore the release, or leave nodesPausedSince out (`hypershift-aws resume`) until the upgrade has ended", after, before)
		}
		return nil
	}
	name := textAt(object, "metadata", "name")
	if textAt(object, "kind") != crd.NodePool ||
		textAt(old, "metadata", "annotations", hypershift.PausedSinceAnnotation) != "" {
		return nil
	}
	if !live.Exists() {
		return nil
	}
	for _, of := range []map[string]any{live.HostedCluster, live.NodePools[name]} {
		if since := textAt(of, "metadata", "deletionTimestamp"); since != "" {
			return refuse("does not take the nodes of node pool %s: %s %s has been in deletion since %s, which takes them",
				"leave nodesPausedSince out", name, textAt(of, "kind"), textAt(of, "metadata", "name"), since)
		}
	}
	if image := releaseIn(live.HostedCluster); len(live.history()) > 0 && !live.completed(image) {
		return refuse("does not take the nodes of node pool %s: the control plane is rolling out release %s, which ends only with nodes",
			"wait until `hypershift-aws status` is ready", name, image)
	}
	conditions, _, _ := unstructured.NestedSlice(live.NodePools[name], "status", "conditions")
	for _, c := range conditions {
		switch textAt(c, "type") {
		case "UpdatingVersion", "UpdatingConfig", "UpdatingPlatformMachineTemplate":
			if textAt(c, "status") == "True" {
				return refuse("does not take the nodes of node pool %s while they are replaced or updated: %s is True: %s",
					"wait until `hypershift-aws status` is ready", name, textAt(c, "type"), textAt(c, "message"))
			}
		}
	}
	return nil
}

// releaseIn returns the release image of a HostedCluster or NodePool.
func releaseIn(object map[string]any) string { return textAt(object, "spec", "release", "image") }

// signingKeyIn returns the name of the Secret with the key that signs the tokens of a HostedCluster's service accounts,
// "" for HyperShift's own key.
func signingKeyIn(object map[string]any) string {
	return textAt(object, "spec", "serviceAccountSigningKey", "name")
}

// judgeSigner refuses another Secret with the key that signs the tokens of an existing cluster, unless a user decides
// about both Secrets: they may have the same key, or the former public key. before and after are their names, "" for
// the key that HyperShift generates.
func judgeSigner(cluster, before, after string) error {
	own := signingKeyName(cluster)
	if before == after || before != "" && after != "" && before != own && after != own {
		return nil
	}
	key := func(name string) string {
		if name == "" {
			return "the key that HyperShift generates"
		}
		return "the key in Secret " + name
	}
	path := "serviceAccountSigningKey"
	if before == own || after == own {
		path = "signingKey"
	}
	return &fault.Fault{
		Path: path,
		Problem: "changes what signs the tokens of service accounts in an existing cluster from " + key(before) + " to " +
			key(after) + ": " + iam.TokensInvalid,
		Remedy: "restore the previous setting, or create another cluster",
	}
}

// JudgeSigningKey returns a fault if an existing cluster would gain or lose its own signing key. own is true if the
// cluster should have one in the Secret of Settings.SigningKey, and named is Settings.ServiceAccountSigningKey.
func (l *Live) JudgeSigningKey(own bool, named string) error {
	if !l.Exists() {
		return nil
	}
	cluster := textAt(l.HostedCluster, "metadata", "name")
	if own {
		named = signingKeyName(cluster)
	}
	return judgeSigner(cluster, signingKeyIn(l.HostedCluster), named)
}

// judgeSigningKey refuses another content of the Secret with the key that signs tokens.
func judgeSigningKey(before, after resource.PropertyMap) error {
	old, _ := known(before["data"], nil).(map[string]any)
	data, _ := known(after["data"], any(old)).(map[string]any)
	for key, value := range old {
		if data[key] != value {
			return iam.SigningKeyChanged()
		}
	}
	return nil
}

// judgeEtcdKey refuses another content of the Secret with the key that encrypts etcd.
func judgeEtcdKey(before, after resource.PropertyMap) error {
	old, _ := known(before["data"], nil).(map[string]any)
	data, _ := known(after["data"], any(old)).(map[string]any)
	for key, value := range old {
		if data[key] != value {
			return &fault.Fault{
				Path:    "etcdKey",
				Problem: "is not the key ([secret]) with which the existing cluster encrypts etcd, but another one ([secret]): " + notStaged,
				Remedy:  "restore the previous key, or leave etcdKey out: the stack then keeps the key that is in its state",
			}
		}
	}
	return nil
}

// mentionsKey returns the fault of generating the content of a Secret that the existing cluster refers to for its key:
// the state has lost the content, and another key is not the cluster's. It returns nil for a Secret that no existing
// cluster refers to.
func (l *Live) mentionsKey(secret string) error {
	if !l.Exists() {
		return nil
	}
	const lost = "the existing cluster refers to it in Secret %s, whose content the stack's state no longer has, and a new one would be another key: "
	switch secret {
	case textAt(l.HostedCluster, "spec", "secretEncryption", "aescbc", "activeKey", "name"),
		textAt(l.HostedCluster, "spec", "secretEncryption", "aescbc", "backupKey", "name"):
		return &fault.Fault{
			Path:    "etcdKey",
			Problem: fmt.Sprintf("is not set and cannot be generated: "+lost+"etcd could no longer be read", secret),
			Remedy: "if the management cluster has the Secret, run `hypershift-aws adopt`; otherwise set etcdKey to the file with the cluster's key, or restore a " +
				"state that has it: a copy of the backend from before the key was lost, or state-before.json in the stack's working folder",
		}
	case textAt(l.HostedCluster, "spec", "sshKey", "name"):
		return &fault.Fault{
			Path:    "generateSSHKey",
			Problem: fmt.Sprintf("cannot generate a key: "+lost+"new nodes would not accept the one that people have", secret),
			Remedy: "if the management cluster has the Secret, run `hypershift-aws adopt`; otherwise set sshKey to the public key that people have, or restore a " +
				"state that has the Secret",
		}
	}
	return nil
}

// refuseCreation registers a hook that refuses to create a resource, in a preview too. It has no effect on one that the
// state has, or that is imported.
func (b *builder) refuseCreation(name string, problem error) (pulumi.ResourceOption, error) {
	hook, err := b.ctx.RegisterResourceHook(b.name+name+"-once", func(*pulumi.ResourceHookArgs) error {
		return b.refused(problem)
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, fmt.Errorf("registering the hook for keys that are generated once: %w", err)
	}
	return pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeCreate: []*pulumi.ResourceHook{hook}}), nil
}

// refuse registers a hook that refuses the updates that judge finds fault with, in a preview too.
func (b *builder) refuse(
	name string,
	judge func(before, after resource.PropertyMap) error,
) (pulumi.ResourceOption, error) {
	hook, err := b.ctx.RegisterResourceHook(b.name+name, func(args *pulumi.ResourceHookArgs) error {
		return b.refused(judge(args.OldInputs, args.NewInputs))
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, fmt.Errorf("registering the hook for changes that are refused: %w", err)
	}
	return pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{hook}}), nil
}
