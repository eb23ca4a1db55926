package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/features/relocate"
)

// RelocateOptions configure Relocate.
type RelocateOptions struct {
	// Decide is asked for the cluster's name before the state changes, unless Cluster is set.
	Decide Decide
	// Cluster is the name of the restored hosted cluster.
	Cluster string
	// ManagementClusterGone asserts that the recorded management cluster no longer exists. Set it if that cluster cannot
	// be asked. It has no effect while anything answers at its address. Each use is kept in the journal of consents.
	ManagementClusterGone bool
}

// RelocateResult is what the state took over.
type RelocateResult = takeover.Restored

// Relocate continues the stack with its hosted cluster as it was restored from a backup in the management cluster that
// the stack's file selects: the state takes over the management cluster and the UIDs of the objects. It changes nothing
// in AWS or in a management cluster. Another cluster, an incomplete one, and one that its former management cluster
// still runs are refused. What an interrupted run left is settled by the next update, or by Repair.
func (s *Stack) Relocate(ctx context.Context, o RelocateOptions) (*RelocateResult, error) {
	core := s.core()
	defer s.named(core)
	return relocate.Run(ctx, core, relocate.Options(o))
}

// RestoreDocumentsOptions configure RestoreDocuments.
type RestoreDocumentsOptions struct {
	// Decide is asked before HyperShift's operator writes the documents.
	Decide Decide
}

// RestoreDocumentsResult describes the OIDC documents of the stack's hosted cluster.
type RestoreDocumentsResult struct {
	// Issuer is the URL of the issuer.
	Issuer string `json:"issuer"`
	// Written is true if HyperShift's operator was made to write the documents again, and false if the issuer serves them.
	Written bool `json:"written"`
}

// RestoreDocuments lets HyperShift's operator write the OIDC documents of the stack's hosted cluster again, if the
// issuer does not serve them: from the public key in the management cluster. The state does not change. It refuses a
// cluster with its own signing key, whose documents the operator does not write, and another management cluster than
// the stack's.
func (s *Stack) RestoreDocuments(ctx context.Context, o RestoreDocumentsOptions) (*RestoreDocumentsResult, error) {
	core := s.core()
	defer s.named(core)
	result, err := relocate.RestoreDocuments(ctx, core, relocate.DocumentsOptions(o))
	return (*RestoreDocumentsResult)(result), err
}
