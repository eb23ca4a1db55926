package relocate

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
)

// Options configure Run.
type Options struct {
	// Decide is asked for the cluster's name before the state changes, unless Cluster is set.
	Decide operation.Decide
	// Cluster is the name of the restored hosted cluster.
	Cluster string
	// ManagementClusterGone asserts that the recorded management cluster no longer exists.
	ManagementClusterGone bool
}

// Run continues a stack with its restored hosted cluster: see automation.Stack.Relocate.
func Run(ctx context.Context, s *run.Stack, o Options) (*takeover.Restored, error) {
	ctx, r, err := s.Begin(ctx, gates.Relocate, run.OpenOptions{Mode: run.MustExist})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	interrupted, _, err := r.Recovery.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	finder := &Finder{Stack: r.Stack, Connection: r.Connection}
	find := func() (*Restoration, error) {
		found, err := finder.Find(ctx, o.ManagementClusterGone)
		return found, r.Session.Gates.Refusal(Gate(), err)
	}
	found, err := find()
	if err != nil {
		return nil, err
	}
	if found.Done {
		r.Say("stack %s already continues with %s of the management cluster in its file", r.Stack.Name, found.Object)
		return &found.Restored, nil
	}
	text := fmt.Sprintf("Stack %s continues with %s as it was restored in the management cluster of its file, and no "+
		"longer with the former one. Enter the cluster's name: ", r.Stack.Name, found.Object)
	question := operation.Question{Text: text, Name: found.Cluster}
	if err := r.ConfirmCluster(ctx, o.Decide, o.Cluster, "hosted cluster", question); err != nil {
		return nil, err
	}
	before := found.To
	if found, err = find(); err != nil {
		return nil, err
	}
	if found.To != before || found.Done {
		return nil, gate.Refuse("the kubeconfig of stack %s selects another management cluster than before the question; "+
			"nothing was changed", r.Stack.Name)
	}
	if err := finder.Use(ctx, found, r.Recovery); err != nil {
		return nil, err
	}
	if interrupted {
		r.Say("an earlier run of stack %s was interrupted: the next up finds what it created, or "+
			"`hypershift-aws repair -s %[1]s`", r.Stack.Name)
	}
	return &found.Restored, nil
}

// DocumentsOptions configure RestoreDocuments.
type DocumentsOptions struct {
	// Decide is asked before HyperShift's operator writes the documents.
	Decide operation.Decide
}

// DocumentsResult describes the OIDC documents of a hosted cluster.
type DocumentsResult struct {
	// Issuer is the URL of the issuer.
	Issuer string
	// Written is true if HyperShift's operator was made to write the documents again.
	Written bool
}

// RestoreDocuments lets HyperShift's operator write OIDC documents again: see automation.Stack.RestoreDocuments.
func RestoreDocuments(ctx context.Context, s *run.Stack, o DocumentsOptions) (*DocumentsResult, error) {
	// Like a backup, it changes an object of the stack's own management cluster, and neither AWS nor the state.
	ctx, r, err := s.Begin(ctx, gates.Backup, run.OpenOptions{Mode: run.MustExist, AnyFile: true, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	found, err := r.Cluster.Documents(ctx)
	if err != nil {
		return nil, err
	}
	result := &DocumentsResult{Issuer: found.Issuer}
	if found.Served {
		r.Say("%s serves its OIDC documents: there is nothing to restore", found.Issuer)
		return result, nil
	}
	if err := found.CheckRestorable(r.Stack.Name); err != nil {
		return nil, err
	}
	r.Say("%s does not serve its OIDC documents: HyperShift's operator writes both again, from the public key of the "+
		"control plane, once %s loses the finalizer %s", found.Issuer, found.Object, hosted.DocumentsFinalizer)
	question := operation.Question{Operation: gates.Relocate, Text: "Let the operator write the OIDC documents again?"}
	if err := r.Ask(ctx, o.Decide, question); err != nil {
		return nil, err
	}
	result.Written = true
	return result, r.Cluster.RestoreDocuments(ctx, found)
}
