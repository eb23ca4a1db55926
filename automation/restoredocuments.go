package automation

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/hosted"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
)

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

// RestoreDocuments lets HyperShift's operator write the OIDC documents of the stack's hosted cluster again, if the issuer does not serve them: from
// the public key in the management cluster. The state does not change. It refuses a cluster with its own signing key, whose documents the
// operator does not write, and another management cluster than the stack's.
func (s *Stack) RestoreDocuments(ctx context.Context, o RestoreDocumentsOptions) (*RestoreDocumentsResult, error) {
	// Like a backup, it changes an object of the stack's own management cluster, and neither AWS nor the state.
	ctx, r, err := s.begin(ctx, gates.Backup, opening{mode: operation.MustExist, anyFile: true, identify: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	found, err := r.Cluster.Documents(ctx)
	if err != nil {
		return nil, err
	}
	result := &RestoreDocumentsResult{Issuer: found.Issuer}
	switch {
	case found.Served:
		r.say("%s serves its OIDC documents: there is nothing to restore", found.Issuer)
		return result, nil
	case found.Own:
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: found.Object + " has a signing key of its own, whose OIDC documents HyperShift's operator does not write; nothing was changed",
			Remedy:  fmt.Sprintf("with oidc.signingKey, run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which writes them", r.Stack.Name, r.Stack.Name),
		}
	case found.Due:
		return nil, &failure.Error{
			Reason:  failure.Failed,
			Problem: "HyperShift's operator has not written the OIDC documents of " + found.Issuer + " yet; nothing was changed",
			Remedy:  fmt.Sprintf("it tries again by itself; `hypershift-aws status -s %s` has the reason in ValidOIDCConfiguration", r.Stack.Name),
		}
	}
	r.say("%s does not serve its OIDC documents: HyperShift's operator writes both again, from the public key of the control plane, once %s "+
		"loses the finalizer %s", found.Issuer, found.Object, hosted.DocumentsFinalizer)
	if err := r.ask(ctx, o.Decide, Question{Operation: gates.Relocate, Text: "Let the operator write the OIDC documents again?"}); err != nil {
		return nil, err
	}
	result.Written = true
	return result, r.Cluster.RestoreDocuments(ctx, found)
}
