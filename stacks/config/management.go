package config

import (
	"path/filepath"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/management"
)

// Management is hypershift-aws:management: the resources that the management account needs before HyperShift's operator
// is installed.
type Management struct {
	management.PrerequisitesArgs `yaml:",inline"`
	// Kubeconfig is the kubeconfig of the management cluster, to create the namespace, the Secrets with access keys and the
	// ConfigMap that `hypershift install` reads. Default: nothing is created in the management cluster.
	Kubeconfig *Kubeconfig `yaml:"kubeconfig" pulumi:"kubeconfig,optional"`
}

var _ Section = (*Management)(nil)

// ManagementDefinition returns the kind of a management account.
func ManagementDefinition() Definition {
	return Definition{Kind: KindManagement, Least: "set oidcBucket and operator at least", Section: func() Section { return &Management{} }}
}

// Kubeconfig selects a management cluster.
type Kubeconfig struct {
	// File is the path of the kubeconfig, absolute or beginning with ~/. Default: that of KUBECONFIG, else ~/.kube/config.
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
func (m *Management) Resolve(Source) { m.RefuseExistingBuckets = true }

// Validate implements Section. The paths are those of the component's args.
func (m *Management) Validate(string) error {
	var faults fault.Faults
	faults.Join("", m.Prerequisites().Validate())
	faults.Join("kubeconfig", m.Kubeconfig.validate())
	return faults.Err()
}

// ManagementCluster implements Section.
func (m *Management) ManagementCluster() *Kubeconfig { return m.Kubeconfig }

// Prerequisites returns the args of the component.
func (m *Management) Prerequisites() *management.PrerequisitesArgs { return &m.PrerequisitesArgs }
