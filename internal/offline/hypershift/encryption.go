package hypershift

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// kmsProvider is the service account that the API server's KMS plugin assumes its role with.
const kmsProvider = "kube-system:kms-provider"

// reencryptionSeconds is how many seconds a rotation of the key of etcd takes: two rollouts of the API server, and the
// migration of the data.
const reencryptionSeconds = 900

// firstRotation is the minor version of OpenShift 4 from which control planes encrypt their data again after a change
// of the key.
const firstRotation = 22

// encryption is that of a hosted cluster's etcd.
type encryption struct{ *hostedCluster }

// encrypted rotates the key of etcd if the HostedCluster has another one, and writes the HostedControlPlane with the
// keys that are in use. The data can be read only with all of them: otherwise the API server is not available.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/hostedclusterconfigoperator/controllers/reencryption/reencryption.go
func (g encryption) encrypted() {
	spec := g.spec.Object("secretEncryption")
	if spec == nil || !g.rotates() {
		return
	}
	old := g.Get(g.objectKey(controlPlaneVersion, crd.HostedControlPlane, g.name))
	keys := props.Map{}
	if old != nil {
		keys = old.State.Object("status").Object("secretEncryption").Clone()
	}
	wanted, active, target := g.keyStatus(spec), keys.Object("activeKey"), keys.Object("targetKey")
	done := kubernetes.Condition{Name: "EtcdDataEncryptionUpToDate", Status: "True", Reason: "ReEncryptionCompleted",
		Message: "All etcd data is encrypted with the current active key"}
	switch {
	case wanted == nil:
		return
	case active == nil:
		keys["activeKey"] = map[string]any(wanted)
		g.set(done)
	case target != nil:
		history := keys.Objects("history")
		if g.now.Before(parsed(history[0].String("startedTime")).Add(g.how.Scaled(reencryptionSeconds))) {
			break
		}
		if why := g.unreadable(active, target); why != "" {
			g.set(kubernetes.Condition{Name: done.Name, Status: "False", Reason: "ReEncryptionFailed", Message: why})
			break
		}
		keys["activeKey"] = map[string]any(target)
		delete(keys, "targetKey")
		history[0]["state"] = "Completed"
		g.set(done)
	case props.JSONText(map[string]any(active)) != props.JSONText(map[string]any(wanted)):
		keys["targetKey"] = map[string]any(wanted)
		history, _ := keys["history"].([]any)
		keys["history"] = append([]any{map[string]any{"state": "ReadOnlyDeploy", "startedTime": ids.Timestamp()}}, history...)
		g.set(kubernetes.Condition{
			Name:    done.Name,
			Status:  "False",
			Reason:  "ReadOnlyRolloutInProgress",
			Message: "Encryption key rotation started: deploying new key as read-only",
		})
	}
	if why := g.unreadable(keys.Object("activeKey"), keys.Object("targetKey")); why != "" {
		g.set(kubernetes.Condition{Name: "KubeAPIServerAvailable", Status: "False", Reason: "EtcdNotReadable", Message: why})
	}
	g.writeObject(controlPlaneVersion, crd.HostedControlPlane, g.name, nil, map[string]any{
		"secretEncryption": map[string]any(spec.Clone()),
	},
		map[string]any{"secretEncryption": map[string]any(keys)})
}

// rotates reports whether the release of the control plane encrypts data again.
func (g encryption) rotates() bool {
	parts := strings.Split(versionOf(g.spec.Object("release").String("image")), ".")
	if len(parts) < 2 {
		return false
	}
	minor, err := strconv.Atoi(parts[1])
	return err == nil && (parts[0] > "4" || parts[0] == "4" && minor >= firstRotation)
}

// keyStatus returns the active key of a spec in the form of the control plane's status; nil if its Secret does not
// exist.
func (g encryption) keyStatus(spec props.Map) props.Map {
	if arn := spec.Object("kms").Object("aws").Object("activeKey").String("arn"); arn != "" {
		return props.Map{"provider": "AWS", "aws": map[string]any{"arn": arn}}
	}
	name := spec.Object("aescbc").Object("activeKey").String("name")
	hash := g.keyHash(name)
	if hash == "" {
		return nil
	}
	return props.Map{
		"provider": "AESCBC",
		"aescbc":   map[string]any{"secret": map[string]any{"name": name}, "dataHash": hash},
	}
}

// keyHash returns the SHA-256 of the key in a Secret, "" if there is none.
func (g encryption) keyHash(secret string) string {
	rec := g.Get(g.secretKey(secret))
	if rec == nil {
		return ""
	}
	key, err := base64.StdEncoding.DecodeString(rec.State.Object("data").String("key"))
	if err != nil || len(key) == 0 {
		return ""
	}
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

// unreadable returns why data that is encrypted with the keys cannot be read, "" if it can.
func (g encryption) unreadable(keys ...props.Map) string {
	for _, key := range keys {
		if recorded := key.Object("aescbc"); recorded != nil &&
			g.keyHash(recorded.Object("secret").String("name")) != recorded.String("dataHash") {
			return "the key in Secret " + recorded.Object("secret").
				String("name") + " is not the one with which data is encrypted"
		}
		arn := key.Object("aws").String("arn")
		if arn == "" {
			continue
		}
		allowed := false
		err := g.assuming(g.spec.Object("secretEncryption").Object("kms").Object("aws").Object("auth").String("awsKms"),
			kmsProvider, func(a *agent) error {
				allowed = a.allows("kms:Decrypt", arn)
				return nil
			})
		if err != nil || !allowed {
			return "the role of the KMS provider cannot decrypt with " + arn
		}
	}
	return ""
}
