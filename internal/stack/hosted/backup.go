package hosted

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/features/backup/velero"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// PrepareBackup completes the options with the stack's HostedCluster, and checks them.
func (h *Cluster) PrepareBackup(ctx context.Context, o backup.Options) (backup.Options, error) {
	cluster, err := h.required(ctx, binding.Refused("the state of stack "+h.Stack.Name+" has no HostedCluster that could be backed up",
		fmt.Sprintf("run `hypershift-aws up -s %s` first, or use HyperShift's own command for a cluster that other tools apply", h.Stack.Name)))
	if err != nil {
		return o, err
	}
	o.Cluster, o.ClusterNamespace = cluster.Name, cluster.Namespace
	switch {
	case o.Name != "":
	case o.Cron != "":
		o.Name = cluster.Name + "-" + cluster.Namespace
	default:
		o.Name = cluster.Name + "-" + time.Now().UTC().Format("20060102-150405")
	}
	if err := velero.Validate(o); err != nil {
		return o, &failure.Error{Reason: failure.Refused, Problem: err.Error(), Cause: err}
	}
	return velero.WithDefaults(o), nil
}

// Backup creates the Backup, or creates or updates the Schedule, and waits for at most that long until Velero has completed or enabled it; with 0
// it does not wait.
func (h *Cluster) Backup(ctx context.Context, o backup.Options, most time.Duration) error {
	api, err := h.Connection.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	if err := checkStorage(ctx, api, o); err != nil {
		return err
	}
	object := velero.Object(o)
	key := fmt.Sprintf("%s %s/%s", object["kind"], o.Namespace, o.Name)
	if o.Cron == "" {
		existing, err := api.Get(ctx, crd.Backup, o.Namespace, o.Name)
		if err != nil {
			return err
		}
		if existing != nil {
			return binding.Refused(key+" exists already", "use another name")
		}
	}
	if err := api.Apply(ctx, hypershift.FieldManager, object); err != nil {
		return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("%s was not applied: %s", key, err), Cause: err,
			Remedy: "allow the user of " + binding.KubeconfigKey(h.Stack) + " to get, create and patch backups and schedules of velero.io in namespace " + o.Namespace}
	}
	if most == 0 {
		h.Stack.Say("%s was created", key)
		return nil
	}
	return h.awaitBackup(ctx, api, o, key, most)
}

// checkStorage fails unless OADP is installed with a usable storage location.
func checkStorage(ctx context.Context, api clusterstatus.ManagementCluster, o backup.Options) error {
	location, err := api.Get(ctx, crd.BackupStorageLocation, o.Namespace, o.StorageLocation)
	phase := props.Map(location).Object("status").String("phase")
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err) || err == nil && location == nil:
		return binding.Refused(fmt.Sprintf("the management cluster has no BackupStorageLocation %s/%s", o.Namespace, o.StorageLocation),
			"install OADP with a DataProtectionApplication first, as docs/disaster-recovery.md describes, or correct --namespace or --storage-location")
	case err != nil:
		return err
	case phase != "Available":
		return binding.Refused(fmt.Sprintf("BackupStorageLocation %s/%s is not Available, but %q: %s", o.Namespace, o.StorageLocation, phase,
			props.Map(location).Object("status").String("message")), "correct its bucket, region, or credentials")
	}
	return nil
}

// awaitBackup waits until Velero has completed a Backup, or enabled a Schedule.
func (h *Cluster) awaitBackup(ctx context.Context, api clusterstatus.ManagementCluster, o backup.Options, key string, most time.Duration) error {
	kind := crd.Backup
	if o.Cron != "" {
		kind = crd.Schedule
	}
	deadline, said := time.Now().Add(most), ""
	for {
		object, err := api.Get(ctx, kind, o.Namespace, o.Name)
		if err != nil {
			return err
		}
		status := props.Map(object).Object("status")
		phase := status.String("phase")
		if phase != said {
			said = phase
			h.Stack.Say("%s is %s", key, phase)
		}
		switch phase {
		case "Completed", "Enabled":
			return nil
		case "FailedValidation", "PartiallyFailed", "Failed":
			return &failure.Error{
				Reason: failure.Failed, Problem: fmt.Sprintf("%s is %s: %s%v", key, phase, status.String("failureReason"), status.Strings("validationErrors")),
				Remedy: fmt.Sprintf("`oc -n %s describe %s %s` has the reason; a cluster cannot be restored from it", o.Namespace, kind, o.Name),
			}
		}
		if time.Now().After(deadline) {
			return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("%s was not complete in time: it is %q", key, phase),
				Remedy: "it goes on; read its status.phase, or wait longer with --wait-timeout"}
		}
		select {
		case <-h.Stack.Session.Interrupts.First():
			return &failure.Error{Reason: failure.Interrupted, Problem: "stopped waiting for " + key + ", which goes on"}
		case <-time.After(h.Stack.Session.Environment.Timing().Ready):
		}
	}
}

// DocumentsFinalizer is on a HostedCluster whose OIDC documents HyperShift's operator has written: it writes them only without it, from the
// public key in the namespace of the control plane. Source: HyperShift's reconcileAWSOIDCDocuments.
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
	cluster, err := h.required(ctx,
		binding.Refused("the state of stack "+h.Stack.Name+" has no HostedCluster", fmt.Sprintf("run `hypershift-aws up -s %s` first", h.Stack.Name)))
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
		return nil, binding.Refused("the management cluster has no "+d.Object, fmt.Sprintf("run `hypershift-aws up -s %s`, or restore it from a backup first", h.Stack.Name))
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

// servesDocuments reports whether an issuer serves its OIDC documents, where AWS reads them; of an offline account, whether its bucket has them.
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
		found, err := account.Describe(ctx, of, inventory.Resource{Type: awstype.BucketObject, ID: bucket + "/" + infraID + "/.well-known/openid-configuration"})
		if found != nil || err != nil {
			return found != nil, err
		}
	}
	return false, nil
}

// documentsProblem returns what is wrong with the OIDC documents, with the remedy; "" if nothing is, or if that is not known.
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

// RestoreDocuments lets HyperShift's operator write the OIDC documents again. It changes nothing in AWS itself.
func (h *Cluster) RestoreDocuments(ctx context.Context, d *Documents) error {
	api, err := h.Connection.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	if err := api.RemoveFinalizer(ctx, crd.HostedCluster, d.cluster.Namespace, d.cluster.Name, d.uid, DocumentsFinalizer); err != nil {
		return err
	}
	h.Stack.Say("HyperShift's operator writes the OIDC documents of %s again", d.Issuer)
	return nil
}
