// Package capa simulates Cluster API and its AWS provider in an offline cluster and in AWS, as far as the order of
// operations depends on them: a load balancer, instances, tags on subnets and NAT gateways, finalizers, and the
// deletion of all of these with the Cluster. It does not simulate bootstrapping, health checks or rollouts.
package capa

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	schemas "github.com/hypershift-aws/hypershift-aws/internal/value/crd"
)

// Finalizer keeps the objects of a cluster until the resources that they represent are deleted. Cluster API has one per
// kind.
const Finalizer = "cluster.cluster.x-k8s.io"

// controller simulates the controllers of Cluster API and CAPA in one cluster. It works in the offline accounts beside
// the cluster.
type controller struct {
	*aws.Accounts
	cluster string
}

var _ kubernetes.Controller = (*controller)(nil)

// New returns the controller of the cluster of that name under dir.
func New(dir, cluster string, types aws.Catalogue) kubernetes.Controller {
	return &controller{Accounts: aws.NewAccounts(dir, types), cluster: cluster}
}

func token(version, kind string) string {
	return kubernetes.TokenOf(schemas.Kind{APIVersion: version, Kind: kind})
}

// Reconcile implements Controller.
func (c *controller) Reconcile(t *store.Tx, _ faults.Operators, _ time.Time) error {
	for key := range t.Store.Records {
		if key.Token != token(crd.CoreVersion, "Cluster") {
			continue
		}
		for _, rec := range t.List(key.Scope, key.Token) {
			r := &reconciler{
				controller: c,
				Tx:         t,
				cluster:    rec,
				namespace:  key.Scope,
				name:       rec.State.Object("metadata").String("name"),
			}
			if err := r.reconcile(); err != nil {
				return fmt.Errorf("operating Cluster %s in offline cluster %s: %w", rec.ID, c.cluster, err)
			}
		}
	}
	return nil
}

// account opens the account of a VPC; nil if no offline account has the VPC.
func (c *controller) account(region, vpc string) (*aws.Account, error) {
	accounts, err := c.All()
	for _, account := range accounts {
		found := false
		if err := account.In(region, func(c *aws.Call) error {
			found = c.Find(awstype.VPC, vpc) != nil
			return nil
		}); err != nil || found {
			return account, err
		}
	}
	return nil, err
}

// reconciler is one reconciliation of one Cluster.
type reconciler struct {
	*controller
	*store.Tx
	cluster         *store.Entry
	namespace, name string
}

// child returns an object of the cluster's namespace, or nil where it is missing.
func (r *reconciler) child(version, kind, name string) *store.Entry {
	return r.Get(store.Key{Scope: r.namespace, Token: token(version, kind), ID: r.namespace + "/" + name})
}

func (r *reconciler) awsCluster() *store.Entry {
	return r.child(crd.InfrastructureVersion, "AWSCluster",
		r.cluster.State.Object("spec").Object("infrastructureRef").String("name"))
}

func (r *reconciler) controlPlane() *store.Entry {
	return r.child(crd.ControlPlaneVersion, "KubeadmControlPlane",
		r.cluster.State.Object("spec").Object("controlPlaneRef").String("name"))
}

func (r *reconciler) deployments() []*store.Entry {
	return slices.DeleteFunc(r.List(r.namespace, token(crd.CoreVersion, "MachineDeployment")),
		func(rec *store.Entry) bool {
			return rec.State.Object("spec").String("clusterName") != r.name
		})
}

func (r *reconciler) reconcile() error {
	infrastructure := r.awsCluster()
	if kubernetes.Deleting(r.cluster) {
		return r.remove(infrastructure)
	}
	hold(r.Tx, r.cluster, nil)
	control := r.controlPlane()
	if infrastructure == nil || control == nil {
		return nil // Cluster API retries until they exist
	}
	objects := append([]*store.Entry{infrastructure, control}, r.deployments()...)
	for _, o := range objects {
		if !kubernetes.Deleting(o) {
			hold(r.Tx, o, r.cluster)
		}
	}
	for _, kind := range []struct{ version, kind string }{{crd.InfrastructureVersion, "AWSMachineTemplate"},
		{crd.BootstrapVersion, "KubeadmConfigTemplate"}} {
		for _, template := range r.List(r.namespace, token(kind.version, kind.kind)) {
			if strings.HasPrefix(template.State.Object("metadata").String("name"), r.name+"-") {
				own(r.Tx, template, r.cluster)
			}
		}
	}
	return r.inAWS(infrastructure, func(a *aws.Call) error { return r.createResources(a, infrastructure, control) })
}

// remove deletes the cluster's resources in AWS, and then its objects. Refused calls are retried.
func (r *reconciler) remove(infrastructure *store.Entry) error {
	if infrastructure != nil {
		err := r.inAWS(infrastructure, func(a *aws.Call) error { return deleteResources(a, r.name) })
		if awserr.Is(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	for _, o := range append(r.deployments(), r.controlPlane(), infrastructure) {
		if o != nil {
			kubernetes.Delete(r.Tx, released(o))
		}
	}
	kubernetes.Keep(r.Tx, released(r.cluster))
	return nil
}

// inAWS works in the account and the region of the cluster's VPC.
func (r *reconciler) inAWS(infrastructure *store.Entry, do func(*aws.Call) error) error {
	spec := infrastructure.State.Object("spec")
	region := spec.String("region")
	account, err := r.account(region, spec.Object("network").Object("vpc").String("id"))
	if err != nil || account == nil {
		return err
	}
	return account.In(region, do)
}

// hold adds the finalizer to an object and sets its owner, if it has one.
func hold(t *store.Tx, rec, owner *store.Entry) {
	after := rec.Clone()
	metadata := after.State.Object("metadata")
	if len(metadata.Strings("finalizers")) == 0 {
		metadata["finalizers"] = props.List(Finalizer)
		kubernetes.Touch(after.State, rec.State)
		t.Put(after)
	} else if owner != nil {
		own(t, rec, owner)
	}
}

// own sets the owner of an object, with which it is deleted.
func own(t *store.Tx, rec, owner *store.Entry) {
	after := rec.Clone()
	metadata, origin := after.State.Object("metadata"), owner.State.Object("metadata")
	if len(metadata.Objects("ownerReferences")) > 0 {
		return
	}
	metadata["ownerReferences"] = []any{map[string]any{
		"apiVersion": crd.CoreVersion,
		"kind":       "Cluster",
		"name":       origin.String("name"),
		"uid":        origin.String("uid"),
	}}
	kubernetes.Touch(after.State, rec.State)
	t.Put(after)
}

// released returns an object without finalizers.
func released(rec *store.Entry) *store.Entry {
	after := rec.Clone()
	delete(after.State.Object("metadata"), "finalizers")
	return after
}
