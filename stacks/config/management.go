package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/management"
)

// Management is hypershift-aws:management: the resources that the management account needs before HyperShift's operator
// is installed.
type Management struct {
	management.PrerequisitesArgs `yaml:",inline"`
	// Kubeconfig is the kubeconfig of the management cluster, to create the namespace, the Secrets with access keys and
	// the ConfigMap that `hypershift install` reads, and what operator.install applies. Default: nothing is created in the
	// management cluster.
	Kubeconfig *Kubeconfig `yaml:"kubeconfig" pulumi:"kubeconfig,optional"`
	// Accounts are the AWS accounts other than the stack's own. Default none.
	Accounts ManagementAccounts `yaml:"accounts" pulumi:"accounts,optional"`

	// dir is the folder of the stack's file.
	dir string
}

var _ Section = (*Management)(nil)

// Kubeconfig selects a management cluster.
type Kubeconfig struct {
	// File is the path of the kubeconfig, absolute or beginning with ~/. Default: KUBECONFIG, else ~/.kube/config.
	File string `yaml:"file" pulumi:"file,optional"`
	// Context is the context in the kubeconfig. Default: its current context.
	Context string `yaml:"context" pulumi:"context,optional"`
}

func (k *Kubeconfig) validate() error {
	if k == nil || k.File == "" || strings.HasPrefix(k.File, "~/") || filepath.IsAbs(k.File) {
		return nil
	}
	return &fault.Fault{
		Path: "file", Value: k.File, Problem: "is relative, but the engine runs in another folder",
		Remedy: "use an absolute path, or one that begins with ~/",
	}
}

// Resolve implements Section.
func (m *Management) Resolve(from Source) {
	m.RefuseExistingBuckets = true
	if m.Operator.Install != nil {
		m.dir = from.Dir
	}
}

// Validate implements Section. The paths are the component's.
func (m *Management) Validate(region string) error {
	var faults fault.Faults
	parent := m.Accounts.ParentZone
	faults.Join("accounts", validateAccounts(region, m.accounts()))
	faults.Join("accounts", validateParentAccount("zone.parentZone", m.Zone != nil && m.Zone.ParentZone != "", parent))
	faults.Join("", m.Prerequisites().Validate())
	faults.Join("kubeconfig", m.Kubeconfig.validate())
	if m.Operator.Install != nil && m.Kubeconfig == nil {
		faults.Add("kubeconfig", nil, "is missing, but operator.install needs a management cluster",
			"set kubeconfig: {}, which is the kubeconfig of the "+
				"environment, or leave operator.install out")
	}
	return faults.Err()
}

// ManagementCluster implements Section.
func (m *Management) ManagementCluster() *Kubeconfig { return m.Kubeconfig }

// Prerequisites returns the args of the component.
func (m *Management) Prerequisites() *management.PrerequisitesArgs { return &m.PrerequisitesArgs }

const (
	// manifestsWithin is how long a server may take to serve the manifests of operator.install.
	manifestsWithin = 2 * time.Minute
	// manifestsLimit is their maximum size in bytes.
	manifestsLimit = 32 << 20
)

// InstallManifests reads the manifests of operator.install and compares their digest. Faults have the path in the
// section.
func (m *Management) InstallManifests(ctx context.Context) (string, error) {
	var faults fault.Faults
	install := m.Operator.Install
	read := readFile
	if install.IsURL() {
		read = func(_, address string) (string, error) { return download(ctx, http.DefaultClient, address) }
	}
	text, err := read(m.dir, install.Manifests)
	faults.Join("operator.install.manifests", err)
	if sum := sha256.Sum256([]byte(text)); err == nil && install.Digest != "" &&
		install.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
		faults.Add("operator.install.digest", install.Digest,
			fmt.Sprintf("is not the digest of %s, sha256:%s", install.Manifests, hex.EncodeToString(sum[:])),
			"review the manifests, and set the digest of those to install")
	}
	return text, faults.Err()
}

// download returns what a URL serves.
func download(ctx context.Context, client *http.Client, address string) (string, error) {
	const remedy = "check the URL and the network, or use a file"
	ctx, cancel := context.WithTimeout(ctx, manifestsWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", &fault.Fault{Value: address, Problem: "is not a URL: " + err.Error(), Remedy: "use https://…, or a file"}
	}
	response, err := client.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the URL
		}
		return "", &fault.Fault{Value: address, Problem: "cannot be downloaded: " + err.Error(), Remedy: remedy}
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", &fault.Fault{
			Value:   address,
			Problem: "cannot be downloaded: the server answered " + response.Status,
			Remedy:  remedy,
		}
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, manifestsLimit+1))
	switch {
	case err != nil:
		return "", &fault.Fault{Value: address, Problem: "cannot be downloaded: " + err.Error(), Remedy: remedy}
	case len(content) > manifestsLimit:
		return "", &fault.Fault{
			Value:   address,
			Problem: fmt.Sprintf("has more than %d MB", manifestsLimit>>20),
			Remedy:  "use the output of `hypershift install render`",
		}
	}
	return string(content), nil
}

var (
	_ TaggedSection   = (*Management)(nil)
	_ DomainSection   = (*Management)(nil)
	_ NextStepSection = (*Management)(nil)
)

// ResourceTags implements TaggedSection.
func (m *Management) ResourceTags() map[string]string { return m.Tags }

// PublicDomain implements DomainSection. A zone with a parent zone is delegated by the stack itself.
func (m *Management) PublicDomain(newZone bool) (domain string, isNew bool) {
	if m.Zone == nil || newZone && m.Zone.ParentZone != "" {
		return "", newZone && m.Zone != nil
	}
	return m.Zone.Domain, newZone
}

// NextStep implements NextStepSection.
func (m *Management) NextStep(stack, _ string) string {
	if m.Operator.Install == nil {
		return fmt.Sprintf("install HyperShift's operator with the command line that `hypershift-aws outputs installArgs -s %[1]s` "+
			"prints; `hypershift-aws new -s NAME --management %[1]s` then writes the file of a cluster", stack)
	}
	return fmt.Sprintf("`hypershift-aws new -s NAME --management %s` writes the file of a cluster", stack)
}
