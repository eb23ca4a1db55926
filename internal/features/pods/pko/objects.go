// Package pko writes the objects for the Pulumi Kubernetes Operator, which runs stacks in a management cluster: a Stack
// of pulumi.com/v1 for each of this program's stacks, and their namespace. It follows the operator's version 2.9.
package pko

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// nameLimit is the maximum length of a Stack's name: the operator derives names of pods and services from it.
const nameLimit = 42

// Options are the values for the objects that are not in the stacks' files.
type Options struct {
	// Namespace is the namespace of all objects. Default "pulumi-stacks".
	Namespace string
	// Image is the image of the workspaces' pods, built from the project's Containerfile. Required.
	Image string
	// Program is the folder in the image that contains Pulumi.yaml. Default "/workspace/program".
	Program string
	// RoleARN is the IAM role of the pods' service accounts. Required.
	RoleARN string
	// ServiceAccount begins the name of each stack's service account, "hypershift-aws-<stack>". Default "hypershift-aws".
	ServiceAccount string
	// Backend is the URL of the state. It must be reachable from pods, so it cannot be file://. Required.
	Backend string
	// SecretsProvider encrypts the secrets of the states, such as awskms://alias/pulumi?region=us-east-1. Required unless
	// the backend is a Pulumi Cloud.
	SecretsProvider string
	// Organization is the stacks' organization in a Pulumi Cloud, "" for none.
	Organization string
	// EnvSecret is a Secret whose keys are environment variables of the pods, "" for none.
	EnvSecret string
	// DestroyOnFinalize destroys a stack when its object is deleted, after the gates of `destroy` have allowed it. Default
	// false: nothing in AWS is deleted with an object.
	DestroyOnFinalize bool
	// Roles writes the roles that the pods' service accounts need in the operator's cluster, for stacks with `kubeconfig:
	// {}`, and the namespaces of their objects. Default false.
	Roles bool
	// Resync is the interval at which each stack is compared with AWS, in seconds, at least 300. Default 86400.
	Resync int64
}

// Stack is a stack, from its file.
type Stack struct {
	Name string
	// Path is the stack's file, and Text its content.
	Path string
	Text []byte
	// Management is the management stack that the file names, "" for none, and Parts are the stacks of its cluster's
	// network and roles.
	Management string
	Parts      []string
	// Section is the config of the stack's kind, for Options.Roles.
	Section config.Section
}

// before returns the stacks that must have succeeded first, in order.
func (s Stack) before() []any {
	names := slices.Clone(s.Parts)
	if s.Management != "" {
		names = append(names, s.Management)
	}
	slices.Sort(names)
	var all []any
	for _, name := range slices.Compact(names) {
		all = append(all, map[string]any{"name": name})
	}
	return all
}

// File is a file of objects, each of them in JSON's types.
type File struct {
	Name    string
	Objects []map[string]any
}

// YAML returns the file's text: its objects as one stream, with keys in alphabetical order.
func (f File) YAML() ([]byte, error) {
	var text bytes.Buffer
	for i, object := range f.Objects {
		one, err := yaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", f.Name, err)
		}
		if i > 0 {
			text.WriteString("---\n")
		}
		text.Write(one)
	}
	return text.Bytes(), nil
}

// withDefaults returns o with its defaults.
func (o Options) withDefaults() Options {
	for value, standard := range map[*string]string{
		&o.Namespace: "pulumi-stacks", &o.Program: "/workspace/program", &o.ServiceAccount: "hypershift-aws",
	} {
		if *value == "" {
			*value = standard
		}
	}
	if o.Resync == 0 {
		o.Resync = 86400
	}
	return o
}

// Validate returns every fault, as fault.Faults with the flags' names as paths.
func (o Options) Validate() error {
	o = o.withDefaults()
	var faults fault.Faults
	for _, required := range []struct{ flag, value, remedy string }{
		{"--image", o.Image, "set it to the image that was built from the Containerfile"},
		{"--role-arn", o.RoleARN, "set it to the role that the pods assume by their service account"},
		{"--backend", o.Backend, "set it to a state that pods can reach, such as s3://BUCKET?region=us-east-1"},
	} {
		if required.value == "" {
			faults.Add(required.flag, nil, "is required", required.remedy)
		}
	}
	if strings.HasPrefix(o.Backend, "file:") {
		faults.Add("--backend", o.Backend, "is a folder on this machine, which pods cannot access", "use s3:// or https://")
	}
	if o.SecretsProvider == "" && o.Backend != "" && !strings.HasPrefix(o.Backend, "https://") {
		faults.Add("--secrets-provider", nil, "is required with this backend",
			"set it to a key of AWS KMS: awskms://alias/NAME?region=us-east-1")
	}
	if o.Resync < 300 {
		faults.Add("--resync", o.Resync, "is too short",
			"use 300 seconds or more: each comparison calls AWS for every resource")
	}
	for _, name := range []struct{ flag, value string }{{"--namespace", o.Namespace},
		{"--service-account", o.ServiceAccount}} {
		if len(validation.IsDNS1123Label(name.value)) > 0 {
			faults.Add(name.flag, name.value, "is not a valid Kubernetes name", "use at most 63 of a-z, 0-9 and -")
		}
	}
	return faults.Err()
}

// namespaceFile is the file of the namespace and what all stacks share. kubectl applies the files of a folder in the
// order of their names, and the namespace must exist before its objects.
const namespaceFile = "00-namespace.yaml"

// namespaceFolder is the folder of the files with the namespaces of the stacks' objects: an administrator applies them
// first. kubectl deletes none of them with the files of the folder above, because that would delete the clusters in it.
const namespaceFolder = "namespaces"

func namespaceOf(name string) map[string]any {
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "Namespace",
		"metadata":   map[string]any{"name": name, "labels": labels()},
	}
}

// Render returns the namespace's file and one file for each stack, in the order of their names. The error is
// fault.Faults for all that cannot be written, with the stacks' files and keys.
func Render(stacks []Stack, o Options) ([]File, error) {
	var faults fault.Faults
	faults.Join("", o.Validate())
	o = o.withDefaults()
	files := []File{{Name: namespaceFile, Objects: o.namespace()}}
	namespaces := map[string]bool{"default": true}
	stacks = slices.SortedFunc(slices.Values(stacks), func(a, b Stack) int { return strings.Compare(a.Name, b.Name) })
	for i, s := range stacks {
		object, err := o.stack(s)
		faults.Join("", err)
		if i > 0 && stacks[i-1].Name == s.Name {
			faults.Add(s.Path, s.Name, "is the name of two stacks", "render the folders into separate namespaces")
		}
		roles, own, err := o.roles(s)
		faults.Join("", err)
		files = append(files, File{
			Name:    s.Name + ".yaml",
			Objects: slices.Concat([]map[string]any{object}, o.account(s), roles),
		})
		for _, namespace := range own {
			if !namespaces[namespace] {
				files = append(files, File{
					Name:    path.Join(namespaceFolder, namespace+".yaml"),
					Objects: []map[string]any{namespaceOf(namespace)},
				})
			}
			namespaces[namespace] = true
		}
	}
	return files, faults.Err()
}

// stack returns a stack's object.
func (o Options) stack(s Stack) (map[string]any, error) {
	var faults fault.Faults
	if len(s.Name) > nameLimit || len(validation.IsDNS1123Label(s.Name)) > 0 {
		faults.Add(s.Path, s.Name, "is not a valid Kubernetes object name",
			fmt.Sprintf("rename the stack: at most %d of a-z, 0-9 and -", nameLimit))
	}
	values, secrets, err := configOf(s)
	faults.Join("", err)
	name := s.Name
	if o.Organization != "" {
		name = o.Organization + "/" + name
	}
	spec := map[string]any{
		"stack": name, "backend": o.Backend,
		"config":                         values,
		"refresh":                        true,
		"continueResyncOnCommitMatch":    true,
		"resyncFrequencySeconds":         o.Resync,
		"destroyOnFinalize":              o.DestroyOnFinalize,
		"runProgram":                     true, // for destroys, which the program refuses while the cluster may be alive
		"retryOnUpdateConflict":          true,
		"retryMaxBackoffDurationSeconds": int64(3600),
		"workspaceReclaimPolicy":         "Delete",
		"serviceAccountName":             o.accountOf(s),
		"updateTemplate":                 map[string]any{"spec": map[string]any{"ttlAfterCompleted": "1h"}},
		"workspaceTemplate":              map[string]any{"spec": o.workspace(digest(values, secrets))},
	}
	if o.SecretsProvider != "" {
		spec["secretsProvider"] = o.SecretsProvider
	}
	if len(secrets) > 0 {
		spec["secretsRef"] = secrets
	}
	if before := s.before(); len(before) > 0 {
		spec["prerequisites"] = before
	}
	return map[string]any{
		"apiVersion": "pulumi.com/v1", "kind": "Stack",
		"metadata": map[string]any{"name": s.Name, "namespace": o.Namespace, "labels": labels()},
		"spec":     spec,
	}, faults.Err()
}

// workspace configures a stack's pod. The program is part of the image: nothing is downloaded, installed or compiled.
func (o Options) workspace(config string) map[string]any {
	spec := map[string]any{
		"image":           o.Image,
		"securityProfile": "restricted",
		"local":           map[string]any{"dir": o.Program},
		"env": []any{
			// Version 2.9.0 always runs `pulumi install` (pulumi/pulumi-kubernetes-operator#1297).
			map[string]any{"name": "PULUMI_OPTION_NO_DEPENDENCIES", "value": "true"},
			map[string]any{"name": "PULUMI_OPTION_NO_PLUGINS", "value": "true"},
			map[string]any{"name": "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "value": "true"},
			map[string]any{"name": "PULUMI_SKIP_UPDATE_CHECK", "value": "true"},
			// Version 2.9.0 configures the secrets provider in the pod that creates the stack. The files of later pods have
			// none: the state has it.
			map[string]any{"name": "PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER", "value": "true"},
		},
		"resources": map[string]any{
			// Without a request for storage, pods are evicted in the middle of updates (pulumi/pulumi-kubernetes-operator#1308).
			"requests": map[string]any{"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "3Gi"},
			"limits":   map[string]any{"memory": "2Gi", "ephemeral-storage": "5Gi"},
		},
	}
	spec["podTemplate"] = map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{configAnnotation: config}},
		"spec":     o.pod(),
	}
	if o.EnvSecret != "" {
		spec["envFrom"] = []any{map[string]any{"secretRef": map[string]any{"name": o.EnvSecret}}}
	}
	return spec
}

// configAnnotation on a pod is the digest of the config that it runs. Version 2.9.0 may find the pod of the former
// update while that is being deleted, and use it with the former config: another template has it replaced.
const configAnnotation = "hypershift-aws/config"

// digest returns a short digest of a stack's config.
func digest(config ...map[string]any) string {
	text, _ := json.Marshal(config) // of a file in YAML, whose keys are strings
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// pod keeps the program in a volume. The operator writes a stack's config there once per pod: without a volume, a
// container that is started again in the same pod has no config, and no update succeeds until the pod is replaced.
func (o Options) pod() map[string]any {
	const volume, initial = "program", "/initial"
	return map[string]any{
		"volumes": []any{map[string]any{"name": volume, "emptyDir": map[string]any{}}},
		"initContainers": []any{map[string]any{
			"name": volume, "image": o.Image, "command": []any{"cp", "-dR", o.Program + "/.", initial + "/"},
			"volumeMounts": []any{map[string]any{"name": volume, "mountPath": initial}},
			"securityContext": map[string]any{ // as securityProfile restricted gives the operator's own containers
				"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}},
			},
		}},
		"containers": []any{map[string]any{
			"name": "pulumi", "volumeMounts": []any{map[string]any{"name": volume, "mountPath": o.Program}},
		}},
	}
}

// namespace returns the objects that the stacks share.
func (o Options) namespace() []map[string]any {
	meta := func(name string) map[string]any {
		return map[string]any{"name": name, "namespace": o.Namespace, "labels": labels()}
	}
	workspaces := map[string]any{"matchLabels": map[string]any{"auto.pulumi.com/component": "workspace"}}
	operator := map[string]any{
		"namespaceSelector": map[string]any{
			"matchLabels": map[string]any{"kubernetes.io/metadata.name": "pulumi-kubernetes-operator"},
		},
	}
	return []map[string]any{
		namespaceOf(o.Namespace),
		{
			// Only the operator calls the agents; agents call AWS, the backend and the API server.
			"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta("workspaces"),
			"spec": map[string]any{
				"podSelector": workspaces, "policyTypes": []any{"Ingress"},
				"ingress": []any{map[string]any{
					"from":  []any{operator},
					"ports": []any{map[string]any{"protocol": "TCP", "port": int64(50051)}},
				}},
			},
		},
	}
}

func labels() map[string]any { return map[string]any{"app.kubernetes.io/part-of": "hypershift-aws"} }
