package automation

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/features/relocate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
)

// RelocateOptions configure Relocate.
type RelocateOptions struct {
	// Decide is asked for the cluster's name before the state changes, unless Cluster is set.
	Decide Decide
	// Cluster is the name of the restored hosted cluster.
	Cluster string
	// ManagementClusterGone asserts that the recorded management cluster no longer exists. Set it if that cluster cannot be asked. It has no effect
	// while anything answers at its address. Each use is kept in the journal of consents.
	ManagementClusterGone bool
}

// RelocateResult is what the state took over.
type RelocateResult = takeover.Restored

// Relocate continues the stack with its hosted cluster as it was restored from a backup in the management cluster that the stack's file selects:
// the state takes over the management cluster and the UIDs of the objects. It changes nothing in AWS or in a management cluster. Another cluster, an incomplete
// one, and one that its former management cluster still runs are refused. What an interrupted run left is settled by the next update, or by Repair.
func (s *Stack) Relocate(ctx context.Context, o RelocateOptions) (*RelocateResult, error) {
	ctx, r, err := s.begin(ctx, gates.Relocate, opening{mode: run.MustExist})
	if err != nil {
		return nil, err
	}
	defer r.close()
	interrupted, _, err := r.Recovery.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	finder := &relocate.Finder{Stack: r.Stack, Connection: r.Connection}
	var found *relocate.Restoration
	find := gate.WithCheck(gate.NameRestored, gate.Refuses(func(ctx context.Context) (err error) {
		found, err = finder.Find(ctx, o.ManagementClusterGone)
		return err
	}))
	if err := r.stopAt(ctx, find); err != nil {
		return nil, err
	}
	if found.Done {
		r.say("stack %s already continues with %s of the management cluster in its file", r.Stack.Name, found.Object)
		return &found.Restored, nil
	}
	text := fmt.Sprintf("Stack %s continues with %s as it was restored in the management cluster of its file, and no longer with the former one. "+
		"Enter the cluster's name: ", r.Stack.Name, found.Object)
	if err := r.confirmCluster(ctx, o.Decide, o.Cluster, "hosted cluster", Question{Text: text, Name: found.Cluster}); err != nil {
		return nil, err
	}
	before := found.To
	if err := r.stopAt(ctx, find); err != nil {
		return nil, err
	}
	if found.To != before || found.Done {
		return nil, refuse("the kubeconfig of stack %s selects another management cluster than before the question; nothing was changed", r.Stack.Name)
	}
	if err := finder.Take(ctx, found, r.Recovery); err != nil {
		return nil, err
	}
	if interrupted {
		r.say("an earlier run of stack %s was interrupted: the next up finds what it created, or `hypershift-aws repair -s %[1]s`", r.Stack.Name)
	}
	return &found.Restored, nil
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

// RestoreDocuments lets HyperShift's operator write the OIDC documents of the stack's hosted cluster again, if the issuer does not serve them: from
// the public key in the management cluster. The state does not change. It refuses a cluster with its own signing key, whose documents the
// operator does not write, and another management cluster than the stack's.
func (s *Stack) RestoreDocuments(ctx context.Context, o RestoreDocumentsOptions) (*RestoreDocumentsResult, error) {
	// Like a backup, it changes an object of the stack's own management cluster, and neither AWS nor the state.
	ctx, r, err := s.begin(ctx, gates.Backup, opening{mode: run.MustExist, anyFile: true, identify: true})
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
