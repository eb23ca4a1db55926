package hosted

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// DocumentsFinalizer is on a HostedCluster whose OIDC documents HyperShift's operator has written: it writes them only
// without it, from the public key in the namespace of the control plane. Source: HyperShift's
// reconcileAWSOIDCDocuments.
const DocumentsFinalizer = "hypershift.io/aws-oidc-discovery"

// Documents are the OIDC documents of a cluster's issuer.
type Documents struct {
	// Object is the HostedCluster in words, and Issuer the URL of its issuer.
	Object, Issuer string
	// Served is true if the issuer serves them.
	Served bool
	// Own is true if the cluster has its own signing key: the operator does not write its documents.
	Own bool
	// Due is true if the operator writes them without any change.
	Due bool

	cluster *clusterstatus.HostedCluster
	// uid is the UID of the object.
	uid string
}

// Documents reads whether the issuer of the stack's HostedCluster serves its OIDC documents, and who writes them.
func (h *Cluster) Documents(ctx context.Context) (*Documents, error) {
	cluster, err := h.Required(ctx,
		binding.Refused("the state of stack "+h.Stack.Name+" has no HostedCluster",
			fmt.Sprintf("run `hypershift-aws up -s %s` first", h.Stack.Name)))
	if err != nil {
		return nil, err
	}
	api, err := h.Connection.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	d := &Documents{Object: fmt.Sprintf("HostedCluster %s/%s", cluster.Namespace, cluster.Name), cluster: cluster}
	live, err := api.Get(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name)
	switch metadata := props.Map(live).Object("metadata"); {
	case err != nil:
		return nil, err
	case live == nil:
		return nil, binding.Refused("the management cluster has no "+d.Object,
			fmt.Sprintf("run `hypershift-aws up -s %s`, or restore it from a backup first", h.Stack.Name))
	case metadata["deletionTimestamp"] != nil:
		return nil, binding.Refused(d.Object+" is being deleted", "wait until it is deleted")
	default:
		d.uid = metadata.String("uid")
		d.Due = !slices.Contains(metadata.Strings("finalizers"), DocumentsFinalizer)
	}
	spec := props.Map(live).Object("spec")
	d.Issuer = spec.String("issuerURL")
	d.Own = spec.Object("serviceAccountSigningKey").String("name") != ""
	d.Due = d.Due && !d.Own
	d.Served, err = h.servesDocuments(ctx, d.Issuer)
	return d, err
}

// servesDocuments reports whether an issuer serves its OIDC documents, where AWS reads them; of an offline account,
// whether its bucket has them.
func (h *Cluster) servesDocuments(ctx context.Context, issuerURL string) (bool, error) {
	issuer := strings.TrimPrefix(issuerURL, "https://")
	if resolver := h.Stack.Session.Environment.Resolver(); resolver != nil {
		return resolver.ServesDocuments(ctx, issuer)
	}
	host, infraID, _ := strings.Cut(issuer, "/")
	bucket, _, _ := strings.Cut(host, ".s3.")
	accounts, err := h.Stack.Providers.Living(ctx)
	if err != nil {
		return false, err
	}
	for _, of := range accounts {
		found, err := account.Describe(ctx, of, inventory.Resource{
			Type: awstype.BucketObject,
			ID:   bucket + "/" + infraID + "/.well-known/openid-configuration",
		})
		if found != nil || err != nil {
			return found != nil, err
		}
	}
	return false, nil
}

// documentsProblem returns what is wrong with the OIDC documents, with the remedy; "" if nothing is, or if that is not
// known.
func (h *Cluster) documentsProblem(ctx context.Context) (problem, remedy string) {
	d, err := h.Documents(ctx)
	if err != nil || d.Served {
		return "", ""
	}
	problem = "the issuer " + d.Issuer + " does not serve its OIDC documents"
	switch {
	case h.Stack.State.Outputs().String("signingKeyID") != "":
		return problem, fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which writes them", h.Stack.Name, h.Stack.Name)
	case d.Own:
		return problem, "write them: the cluster has a signing key of its own"
	}
	return problem, fmt.Sprintf("run `hypershift-aws relocate -s %s --oidc-documents`", h.Stack.Name)
}

// CheckRestorable refuses to restore documents that HyperShift's operator does not write, or writes by itself.
func (d *Documents) CheckRestorable(stack string) error {
	switch {
	case d.Own:
		return &failure.Error{
			Reason: failure.Refused,
			Problem: d.Object + " has a signing key of its own, whose OIDC documents HyperShift's operator does not write; " +
				"nothing was changed",
			Remedy: fmt.Sprintf("with oidc.signingKey, run `hypershift-aws refresh -s %[1]s` and then `hypershift-aws up -s %[1]s`, "+
				"which writes them", stack),
		}
	case d.Due:
		return &failure.Error{
			Reason: failure.Failed,
			Problem: "HyperShift's operator has not written the OIDC documents of " + d.Issuer + " yet; nothing was " +
				"changed",
			Remedy: fmt.Sprintf("it tries again by itself; `hypershift-aws status -s %s` has the reason in "+
				"ValidOIDCConfiguration", stack),
		}
	}
	return nil
}

// RestoreDocuments lets HyperShift's operator write the OIDC documents again. It changes nothing in AWS itself.
func (h *Cluster) RestoreDocuments(ctx context.Context, d *Documents) error {
	api, err := h.Connection.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	if err := api.RemoveFinalizer(ctx, crd.HostedCluster, d.cluster.Namespace, d.cluster.Name, d.uid,
		DocumentsFinalizer); err != nil {
		return err
	}
	h.Stack.Say("HyperShift's operator writes the OIDC documents of %s again", d.Issuer)
	return nil
}
