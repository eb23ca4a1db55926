// Package render returns the objects of a stack's cluster, for GitOps or kubectl.
package render

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// Options configure Run.
type Options struct {
	// Secrets renders Secrets too.
	Secrets bool
	// Folder has the files of an earlier rendering, whose key that encrypts etcd is used again; "" for none.
	Folder string
	// NewEtcdKey generates the key that encrypts etcd if there is none: for a cluster that does not exist yet.
	NewEtcdKey bool
	// Infra and IAM are the documents of HyperShift's CLI, in place of the stack's outputs: both or neither.
	Infra *documents.Infra
	IAM   *documents.IAM
}

// Run returns the objects of a stack's cluster: see automation.Stack.Render.
func Run(ctx context.Context, s *run.Stack, o Options) ([]hostedcluster.Manifest, error) {
	manifests, err := manifestsOf(ctx, s, o)
	for _, m := range manifests {
		for _, warning := range crd.Warnings(m.Object) {
			s.Events(&event.Note{Message: "warning: " + warning})
		}
	}
	return manifests, err
}

func manifestsOf(ctx context.Context, s *run.Stack, o Options) ([]hostedcluster.Manifest, error) {
	if (o.Infra == nil) != (o.IAM == nil) {
		return nil, gate.Refuse("the documents Infra and IAM must be used together")
	}
	issuer := "" // the document contains it, so the file need not name it
	if o.IAM != nil {
		issuer = o.IAM.IssuerURL
	}
	file, err := s.Load(issuer)
	if err != nil {
		return nil, err
	}
	if section := config.As[config.ManifestSection](file); section != nil {
		if o.Infra != nil {
			return nil, gate.Refuse("--infra-json and --iam-json are HyperShift's documents, and stack %s is of kind %s", s.Name, file.Kind)
		}
		outputs, _, err := readStack(ctx, s, file, false)
		if err != nil {
			return nil, err
		}
		if outputs["site"] == nil && outputs["hostedCluster"] == nil {
			return nil, &failure.Error{
				Reason: failure.Failed, Problem: "stack " + s.Name +
					" has no infrastructure to render a cluster for: it is not deployed",
				Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`", s.Name),
			}
		}
		return section.RenderManifests(file, outputs)
	}
	var known described
	if o.Infra == nil {
		if known, err = o.describe(ctx, s, file); err != nil {
			return nil, err
		}
	}
	etcdKey := known.etcdKey
	if o.Secrets && o.IAM.KMSProviderRoleARN == "" {
		if etcdKey, err = o.etcdKey(file, etcdKey); err != nil {
			return nil, err
		}
	}
	if o.Secrets {
		if err := known.checkSigningKey(file); err != nil {
			return nil, err
		}
	}
	manifests, err := documents.Manifests(file, *o.Infra, *o.IAM, known.domain, o.Secrets, etcdKey)
	return known.keys.in(manifests, o.Infra.EtcdKeyFile()), err
}

// readStack returns the outputs of the existing stack, and the keys of etcd in its state.
func readStack(ctx context.Context, s *run.Stack, file *config.File, secrets bool) (map[string]any, etcdKeys, error) {
	ctx, r, err := s.Start(ctx, gates.Preview)
	if err != nil {
		return nil, etcdKeys{}, err
	}
	defer r.Close()
	if err := r.Open(ctx, file, run.MustExist); err != nil {
		return nil, etcdKeys{}, err
	}
	outputs, err := r.Stack.Outputs(ctx, secrets)
	if err != nil {
		return nil, etcdKeys{}, err
	}
	keys, err := readEtcdKeys(ctx, r.Stack, secrets)
	return outputs, keys, err
}

// described is what the outputs of a stack say about its cluster besides HyperShift's documents.
type described struct {
	// deployed is false without a stack.
	deployed bool
	// domain is the domain of the control plane's public names. etcdKey is the key that encrypts etcd, if secrets are
	// rendered. Both are "" if unknown.
	domain, etcdKey string
	// signingKeyID is the ID of the cluster's own signing key, "" without one.
	signingKeyID string
	// keys are those of a cluster whose objects the stack applies.
	keys etcdKeys
}

// checkSigningKey refuses another signing key in the config than the stack's, whose documents AWS reads.
func (d described) checkSigningKey(file *config.File) error {
	key, err := config.As[*config.Cluster](file).SigningKeyText()
	if err != nil || !d.deployed || key == "" {
		return file.Placed(err)
	}
	read, err := iam.ReadSigningKey(key)
	if err != nil {
		return err
	}
	id, err := iam.SigningKeyID(&read.PublicKey)
	if err != nil || id == d.signingKeyID {
		return err
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: config.ClusterKey + ".oidc.signingKey is not the key of the stack, whose public part is in the OIDC documents: AWS would refuse the cluster's tokens; " +
			"nothing was written",
		Remedy: "restore the key of the stack's last update",
	}
}

// describe reads the documents from the stack's outputs into the options, and returns the remaining outputs.
func (o *Options) describe(ctx context.Context, s *run.Stack, file *config.File) (described, error) {
	known := described{deployed: true}
	outputs, keys, err := readStack(ctx, s, file, o.Secrets)
	if err != nil {
		return known, err
	}
	known.keys = keys
	if outputs["infra"] == nil || outputs["iam"] == nil {
		if file != nil {
			if err := kind.RefuseWithoutHostedCluster(s.Name, file.Kind); err != nil {
				return known, err
			}
		}
		return known, &failure.Error{
			Reason: failure.Failed, Problem: "stack " + s.Name +
				" has no network and roles to render a cluster for: it is not deployed",
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`, or use --infra-json and --iam-json", s.Name),
		}
	}
	infra, roles, err := documents.Read(outputs["infra"], outputs["iam"])
	if err != nil {
		return known, err
	}
	o.Infra, o.IAM = &infra, &roles
	known.domain, _ = outputs["externalDNSDomain"].(string)
	if o.Secrets {
		known.etcdKey, _ = outputs["etcdEncryptionKey"].(string)
	}
	known.signingKeyID, _ = outputs["signingKeyID"].(string)
	return known, nil
}

// etcdKey returns the key that encrypts etcd. It takes the first that exists: the stack's key, the key in a previously
// rendered folder, the key in the config. It generates a new one only if the options say so. A key in the config that
// differs from the existing one is refused.
func (o *Options) etcdKey(file *config.File, existing string) (string, error) {
	var err error
	if existing == "" && o.Folder != "" {
		if existing, err = etcdKeyIn(filepath.Join(o.Folder, o.Infra.EtcdKeyFile())); err != nil {
			return "", err
		}
	}
	configured, err := documents.EtcdKey(file)
	switch {
	case err != nil:
		return "", err
	case existing != "" && configured != "" && configured != existing:
		return "", &failure.Error{
			Reason: failure.Refused,
			Problem: config.HostedClusterPath + ".etcdKey is not the key of the stack or of the folder, with which an existing cluster encrypts etcd: " +
				"what etcd stores could no longer be read; nothing was written",
			Remedy: "restore the previous key, or leave etcdKey out",
		}
	case existing != "" || configured != "":
		return cmp.Or(existing, configured), nil
	case !o.NewEtcdKey:
		return "", &failure.Error{
			Reason: failure.Refused,
			Problem: "neither the stack nor the config nor the folder has the key that encrypts etcd, and another key would make what an existing " +
				"cluster stores unreadable; nothing was written",
			Remedy: "render into the folder that has the Secret, or set " + config.HostedClusterPath +
				".etcdKey; for a cluster that does not exist yet, use --new-etcd-key",
		}
	}
	key := make([]byte, hostedcluster.EtcdKeyBytes)
	if _, err := rand.Read(key); err != nil {
		return "", fmt.Errorf("generating the key that encrypts etcd: %w", err)
	}
	return base64.StdEncoding.EncodeToString(key), nil
}

// etcdKeyIn returns the key in the file of a previously rendered Secret, "" if there is no file.
func etcdKeyIn(path string) (string, error) {
	text, err := atomicfile.ReadInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the key of etcd: %w", err)
	}
	var secret struct {
		Data struct {
			Key string `yaml:"key"`
		} `yaml:"data"`
	}
	if err := yaml.Unmarshal(text, &secret); err != nil || secret.Data.Key == "" {
		return "", fmt.Errorf("reading the key of etcd from %s: it has no data.key", path)
	}
	return secret.Data.Key, nil
}
