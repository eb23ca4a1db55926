package conformance

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// keyedServer is a hosted cluster's API server, which encrypts Secrets, and etcd, with what is known of the Secrets.
type keyedServer struct {
	*apiserver.Server
	t *testing.T
	// file is the server's EncryptionConfiguration, and running is the content with which it was started.
	file, running string
	// written are the values of the Secrets, by name.
	written map[string]string
}

// startKeyed starts a hosted cluster's API server with an EncryptionConfiguration. It has no cache, so that each answer
// is what etcd has.
func startKeyed(t *testing.T, configuration string) *keyedServer {
	t.Helper()
	s := &keyedServer{
		t:       t,
		file:    filepath.Join(t.TempDir(), "config.yaml"),
		running: configuration,
		written: map[string]string{},
	}
	require.NoError(t, os.WriteFile(s.file, []byte(configuration), 0o600))
	s.Server = apiserver.Start(t, *apiserver.Folder, "--encryption-provider-config", s.file, "--watch-cache=false")
	return s
}

// restart starts the API server again with another configuration, as a rollout of its Deployment does.
func (s *keyedServer) restart(configuration string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(s.file, []byte(configuration), 0o600))
	s.Restart(s.t)
	s.running = configuration
}

const secretsPath = "/api/v1/namespaces/default/secrets"

// write creates Secrets.
func (s *keyedServer) write(count int) {
	s.t.Helper()
	var names []string
	for range count {
		name := fmt.Sprintf("s-%04d", len(s.written))
		s.written[name] = "value of " + name
		names = append(names, name)
	}
	require.NoError(s.t, s.each(names, func(name string) error {
		code, text, err := s.Try(http.MethodPost, secretsPath, "application/json", map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name},
			"stringData": map[string]any{"value": s.written[name]},
		})
		if err == nil && code != http.StatusCreated {
			err = fmt.Errorf("creating Secret %s: %d %s", name, code, text)
		}
		return err
	}))
}

// each calls do for the names, several at a time, and returns its errors.
func (s *keyedServer) each(names []string, do func(name string) error) error {
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() {
			for at := i; at < len(names) && errs[i] == nil; at += len(errs) {
				errs[i] = do(names[at])
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// encryptAgain reads Secrets and writes them back, as a StorageVersionMigration does.
func (s *keyedServer) encryptAgain(names []string) error {
	return s.each(names, func(name string) error {
		code, text, err := s.Try(http.MethodGet, secretsPath+"/"+name, "", nil)
		if err != nil || code != http.StatusOK {
			return fmt.Errorf("reading Secret %s: %d %s: %w", name, code, text, err)
		}
		code, text, err = s.Try(http.MethodPut, secretsPath+"/"+name, "application/json", json.RawMessage(text))
		if err == nil && code != http.StatusOK {
			err = fmt.Errorf("writing Secret %s: %d %s", name, code, text)
		}
		return err
	})
}

// judge returns an error unless the API server returns each Secret that was written, with its value.
func (s *keyedServer) judge() error {
	code, text, err := s.Try(http.MethodGet, secretsPath, "", nil)
	if err != nil || code != http.StatusOK {
		return fmt.Errorf("the Secrets cannot be read: %d %s: %w", code, text, err)
	}
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Data     map[string][]byte
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	found := map[string]string{}
	for _, item := range list.Items {
		found[item.Metadata.Name] = string(item.Data["value"])
	}
	for name, value := range s.written {
		if found[name] != value {
			return fmt.Errorf("Secret %s has the value %q, and %q was written", name, found[name], value)
		}
	}
	return nil
}

// encryptedWith returns how many of the Secrets in etcd are encrypted with each key, by the key's name in the
// EncryptionConfiguration; "" is none.
func (s *keyedServer) encryptedWith() map[string]int {
	s.t.Helper()
	stored, err := s.Stored("/registry/secrets/default/")
	require.NoError(s.t, err)
	counts := map[string]int{}
	for _, value := range stored {
		name := ""
		if rest, encrypted := strings.CutPrefix(string(value), "k8s:enc:aescbc:v1:"); encrypted {
			name, _, _ = strings.Cut(rest, ":")
		}
		counts[name]++
	}
	return counts
}

// keyName names a key as it is named in HyperShift's EncryptionConfigurations. Source: AESCBCKeyName of the control
// plane operator's package kas.
func keyName(key []byte) string {
	sum := fnv.New32()
	_, _ = sum.Write(key) // it never fails
	return fmt.Sprintf("key-%d", sum.Sum32())
}

// encryptionConfiguration returns the configuration that HyperShift generates: the first key writes, all keys read, and
// what is not encrypted can be read. Source: generateAESCBCEncryptionConfig of the control plane operator's package
// kas.
func encryptionConfiguration(keys ...[]byte) string {
	var list []any
	for _, key := range keys {
		list = append(list, map[string]any{"name": keyName(key), "secret": base64.StdEncoding.EncodeToString(key)})
	}
	text, _ := json.Marshal(map[string]any{ // plain data; each JSON text is YAML
		"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration",
		"resources": []any{map[string]any{
			"resources": []any{"secrets"}, "providers": []any{map[string]any{
				"aescbc": map[string]any{"keys": list},
			}, map[string]any{"identity": map[string]any{}}},
		}},
	})
	return string(text)
}

// keyOperators are HyperShift's operators as far as they handle AES keys, by HyperShift's rules in this project's
// words: the management cluster is an offline one whose own operators are stopped, and the hosted cluster's API server
// is real. Each step is the smallest change that the operators make to what others read. Sources: HyperShift's
// hostedcluster_controller.go (reconciling secret encryption), the control plane operator's kas/secretencryption.go,
// and hostedclusterconfigoperator/controllers/reencryption.
type keyOperators struct {
	t          *testing.T
	management *offline.Cluster
	server     *keyedServer
	// copies are the Secrets in the namespace of the control plane, which nothing deletes there.
	copies map[string][]byte
	// configuration is the content of the Secret kas-secret-encryption-config.
	configuration string
	// left are the Secrets that are not yet encrypted again; nil before that begins.
	left []string
	// ownSecret returns the key in a Secret beside the HostedCluster, nil if there is none.
	ownSecret func(name string) []byte
}

func (o *keyOperators) get(kind, namespace, name string) props.Map {
	o.t.Helper()
	object, err := o.management.Get(kind, namespace, name)
	require.NoError(o.t, err)
	return object
}

func (o *keyOperators) hostedCluster() props.Map { return o.get(crd.HostedCluster, "clusters", "demo") }

// secret implements ownSecret.
func (o *keyOperators) secret(name string) []byte {
	object := o.get("Secret", "clusters", name)
	if object == nil {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(object.Object("data").String("key"))
	require.NoError(o.t, err)
	return key
}

// keyStatus returns a key as the status of a HostedControlPlane shows it.
func (o *keyOperators) keyStatus(secret string) map[string]any {
	sum := sha256.Sum256(o.copies[secret])
	return map[string]any{
		"provider": "AESCBC",
		"aescbc":   map[string]any{"secret": map[string]any{"name": secret}, "dataHash": hex.EncodeToString(sum[:])},
	}
}

// edit changes status.secretEncryption of the HostedControlPlane, and its condition EtcdDataEncryptionUpToDate.
func (o *keyOperators) edit(status, reason string, change func(keys map[string]any)) {
	o.t.Helper()
	err := o.management.Edit(crd.HostedControlPlane, crd.ControlPlaneNamespace("clusters", "demo"), "demo",
		"hosted-cluster-config-operator", func(object map[string]any) {
			of := object["status"].(map[string]any)
			change(of["secretEncryption"].(map[string]any))
			of["conditions"] = []any{map[string]any{"type": "EtcdDataEncryptionUpToDate", "status": status, "reason": reason}}
		})
	require.NoError(o.t, err)
}

// step does what the operators do next, and returns it in words: "" if there is nothing. The error is one with which
// the reconciliation of the HostedCluster ends, so that nothing after it happens.
func (o *keyOperators) step() (string, error) {
	o.t.Helper()
	spec := o.hostedCluster().Object("spec").Object("secretEncryption").Object("aescbc")
	for _, which := range []string{"activeKey", "backupKey"} {
		name := spec.String(which, "name")
		if name == "" {
			continue
		}
		key := o.ownSecret(name)
		if key == nil {
			return "", fmt.Errorf("failed to get %s aescbc secret %s", which, name)
		}
		o.copies[name] = key
	}
	wanted := spec.String("activeKey", "name")
	controlPlane := o.get(crd.HostedControlPlane, crd.ControlPlaneNamespace("clusters", "demo"), "demo")
	keys := controlPlane.Object("status").Object("secretEncryption")
	active, target := keys.String("activeKey", "aescbc", "secret",
		"name"), keys.String("targetKey", "aescbc", "secret", "name")
	if conditions := controlPlane.Object("status").Objects("conditions"); len(conditions) > 0 &&
		o.copyCondition(conditions[0]) {
		return "the HostedCluster shows the condition of its control plane", nil
	}
	switch changed := props.Map(o.keyStatus(wanted)); {
	case target == "" && keys.String("activeKey", "aescbc",
		"dataHash") == changed.String("aescbc", "dataHash") && active == wanted:
	case target == "":
		o.edit("False", "ReadOnlyRolloutInProgress", func(keys map[string]any) {
			keys["targetKey"] = map[string]any(changed)
		})
		return "a rotation begins", nil
	}
	if o.server.running != o.configuration {
		o.server.restart(o.configuration)
		return "the API server has the new configuration", nil
	}
	configuration := encryptionConfiguration(o.copies[wanted])
	if target != "" {
		former, next := o.copies[active], o.copies[target]
		configuration = encryptionConfiguration(former, next)
		// the API server runs with it
		if o.configuration == configuration || o.configuration == encryptionConfiguration(next, former) {
			configuration = encryptionConfiguration(next, former)
		}
	}
	if configuration != o.configuration {
		o.configuration = configuration
		return "the configuration changes", nil
	}
	switch {
	case target == "":
		return "", nil
	case o.left == nil:
		o.left = o.server.names()
		o.edit("False", "ReEncryptionInProgress", func(map[string]any) {})
		return "the encryption of all data begins", nil
	case len(o.left) > 0:
		part := o.left[:(len(o.left)+1)/2]
		if len(o.left) < 100 {
			part = o.left
		}
		o.left = o.left[len(part):]
		return fmt.Sprintf("%d Secrets are encrypted again", len(part)), o.server.encryptAgain(part)
	}
	o.left = nil
	o.edit("True", "ReEncryptionCompleted", func(keys map[string]any) {
		keys["activeKey"] = keys["targetKey"]
		delete(keys, "targetKey")
	})
	return "the rotation is complete", nil
}

// names returns the Secrets in order.
func (s *keyedServer) names() []string {
	var names []string
	for name := range s.written {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// copyCondition copies a condition of the control plane to the HostedCluster, and reports whether that changes it.
func (o *keyOperators) copyCondition(of props.Map) bool {
	o.t.Helper()
	changed := false
	require.NoError(o.t, o.management.Edit(crd.HostedCluster, "clusters", "demo", "hypershift-operator-manager",
		func(object map[string]any) {
			conditions, _ := object["status"].(map[string]any)["conditions"].([]any)
			for _, one := range conditions {
				if c := one.(map[string]any); c["type"] == of["type"] && (c["status"] != of["status"] ||
					c["reason"] != of["reason"]) {
					c["status"], c["reason"], changed = of["status"], of["reason"], true
				}
			}
		}))
	return changed
}
