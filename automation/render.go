package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/features/render"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// Manifest is an object of a management cluster, and the name of its file.
type Manifest = hostedcluster.Manifest

// RenderOptions configure Render.
type RenderOptions struct {
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

// Render returns the objects of the stack's cluster, for GitOps or kubectl, in the order in which they can be applied.
// Nothing is written, and with documents the stack need not be deployed. The key that encrypts etcd is never generated
// a second time.
func (s *Stack) Render(ctx context.Context, o RenderOptions) ([]Manifest, error) {
	core := s.core()
	defer s.named(core)
	return render.Run(ctx, core, render.Options(o))
}
