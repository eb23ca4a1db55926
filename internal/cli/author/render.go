package author

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/project"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// renderOptions are the flags of render.
type renderOptions struct {
	secrets            bool
	infraJSON, iamJSON string
}

func renderCommand(c *invocation.Invocation) *cobra.Command {
	var options renderOptions
	cmd := &cobra.Command{
		Use:   "render [DIR]",
		Short: "Write the hosted cluster's objects as YAML",
		Long: `Writes the objects that cluster.hostedCluster describes, or those of a stack of kind capa, one file per
object, into a folder, or to stdout without a folder: for GitOps, or for kubectl apply. Network and roles are the stack's, or those of two documents that HyperShift's CLI wrote.
Secrets are omitted unless --secrets is given.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRender(cmd.Context(), c, strings.Join(args, ""), options)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&options.secrets, "secrets", false, "write Secrets too")
	flags.StringVar(&options.infraJSON, "infra-json", "", "the `file` that `hypershift create infra aws` wrote, in place of the stack's outputs")
	flags.StringVar(&options.iamJSON, "iam-json", "", "the `file` that `hypershift create iam aws` wrote, in place of the stack's outputs")
	return cmd
}

func runRender(ctx context.Context, c *invocation.Invocation, dir string, options renderOptions) error {
	if (options.infraJSON == "") != (options.iamJSON == "") {
		return invocation.Refuse("--infra-json and --iam-json must be used together")
	}
	project, err := c.Project()
	if err != nil {
		return err
	}
	name, err := project.ResolveStack(c.Stack)
	if err != nil {
		return err
	}
	described, err := options.documents()
	if err != nil {
		return err
	}
	// The document contains the issuer, so the file need not name it.
	file, err := project.LoadStackIssuedBy(name, described.iam.IssuerURL)
	if err != nil {
		return err
	}
	if file.Kind == config.KindCAPA {
		return renderCAPA(ctx, c, project, name, file, dir, options)
	}
	if options.infraJSON == "" {
		if described, err = describe(ctx, c, project, name, file, options); err != nil {
			return err
		}
	}
	if options.secrets && described.etcdKey == "" {
		if described.etcdKey, err = etcdKeyIn(c, dir, described.infra.EtcdKeyFile()); err != nil {
			return err
		}
	}
	manifests, err := documents.Manifests(file, described.infra, described.iam, described.domain, options.secrets, described.etcdKey)
	if err != nil {
		return err
	}
	return write(c, dir, manifests)
}

// renderCAPA writes the objects of a stack of kind capa.
func renderCAPA(
	ctx context.Context, c *invocation.Invocation, project *project.Project, name string, file *config.File, dir string, options renderOptions,
) error {
	if options.infraJSON != "" {
		return invocation.Refuse("--infra-json and --iam-json are HyperShift's documents, and stack %s is of kind %s", name, file.Kind)
	}
	outputs, err := outputsOf(ctx, c, project, name, file, false)
	if err != nil {
		return err
	}
	if outputs["site"] == nil {
		return &failure.Error{
			Reason: failure.Failed, Problem: "stack " + name + " has no infrastructure to render a cluster for: it is not deployed",
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`", name),
		}
	}
	manifests, err := documents.CAPAManifests(file, outputs["site"])
	if err != nil {
		return err
	}
	return write(c, dir, manifests)
}

// outputsOf returns the outputs of an existing stack.
func outputsOf(ctx context.Context, c *invocation.Invocation, project *project.Project, name string, file *config.File, secrets bool) (map[string]any, error) {
	session, err := c.Session(ctx, project)
	if err != nil {
		return nil, err
	}
	stack, err := session.Open(ctx, name, file, automation.MustExist)
	if err != nil {
		return nil, err
	}
	defer stack.Close()
	return stack.Outputs(ctx, secrets)
}

// description is the AWS resources, from the stack or from HyperShift's documents.
type description struct {
	infra documents.Infra
	iam   documents.IAM
	// domain is the domain of the control plane's public names, and etcdKey the key that encrypts etcd; "" if unknown.
	domain, etcdKey string
}

// documents returns the documents of the flags, or the zero value without flags.
func (o renderOptions) documents() (description, error) {
	if o.infraJSON == "" {
		return description{}, nil
	}
	infra, err := os.ReadFile(o.infraJSON)
	if err != nil {
		return description{}, fmt.Errorf("reading --infra-json: %w", err)
	}
	iam, err := os.ReadFile(o.iamJSON)
	if err != nil {
		return description{}, fmt.Errorf("reading --iam-json: %w", err)
	}
	var d description
	d.infra, d.iam, err = documents.Read(infra, iam)
	return d, err
}

// describe reads the outputs of the stack.
func describe(
	ctx context.Context, c *invocation.Invocation, project *project.Project, name string, file *config.File, options renderOptions,
) (description, error) {
	outputs, err := outputsOf(ctx, c, project, name, file, options.secrets)
	if err != nil {
		return description{}, err
	}
	if outputs["infra"] == nil || outputs["iam"] == nil {
		return description{}, &failure.Error{
			Reason: failure.Failed, Problem: "stack " + name + " has no network and roles to render a cluster for: it is not deployed",
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`, or use --infra-json and --iam-json", name),
		}
	}
	var e description
	if e.infra, e.iam, err = documents.Read(outputs["infra"], outputs["iam"]); err != nil {
		return description{}, err
	}
	e.domain, _ = outputs["externalDNSDomain"].(string)
	if options.secrets {
		e.etcdKey, _ = outputs["etcdEncryptionKey"].(string)
	}
	return e, nil
}

// etcdKeyIn returns the key in a previously rendered folder, otherwise a new one.
func etcdKeyIn(c *invocation.Invocation, dir, file string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err == nil && dir != "" {
		var secret struct {
			Data struct {
				Key string `yaml:"key"`
			} `yaml:"data"`
		}
		if err := yaml.Unmarshal(text, &secret); err != nil || secret.Data.Key == "" {
			return "", fmt.Errorf("reading the key of etcd from %s: it has no data.key", filepath.Join(dir, file))
		}
		return secret.Data.Key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the key of etcd: %w", err)
	}
	key := make([]byte, hostedcluster.EtcdKeyBytes)
	if _, err := rand.Read(key); err != nil {
		return "", fmt.Errorf("generating the key that encrypts etcd: %w", err)
	}
	return base64.StdEncoding.EncodeToString(key), nil
}

// write writes the files, those with secrets readable only by the user, and lists files that are no longer rendered.
func write(c *invocation.Invocation, dir string, manifests []hostedcluster.Manifest) error {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("creating the folder of the rendered objects: %w", err)
		}
	}
	written := map[string]bool{}
	for _, manifest := range manifests {
		text, err := manifest.YAML()
		if err != nil {
			return err
		}
		if dir == "" {
			fmt.Fprintf(c.Streams.Out, "---\n%s", text)
			continue
		}
		mode := fs.FileMode(0o644)
		if manifest.Object["kind"] == "Secret" {
			mode = 0o600
		}
		if err := os.WriteFile(filepath.Join(dir, manifest.File), text, mode); err != nil {
			return fmt.Errorf("writing the rendered objects: %w", err)
		}
		written[manifest.File] = true
	}
	if dir == "" {
		return nil
	}
	c.Say("wrote %d files into %s", len(written), dir)
	pools, err := filepath.Glob(filepath.Join(dir, "30-nodepool-*.yaml"))
	if err != nil {
		return err
	}
	for _, path := range pools {
		if !written[filepath.Base(path)] {
			c.Say("%s belongs to no node pool of this cluster: delete the file, or the pool remains", path)
		}
	}
	return nil
}
