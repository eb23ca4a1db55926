package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// Cluster is a management cluster, as preflight reads it.
type Cluster interface {
	// Get returns an object, nil if there is none.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
	// List returns the objects of a kind in a namespace, "" for all namespaces and for kinds without one.
	List(ctx context.Context, kind, namespace string) ([]map[string]any, error)
	// Kinds are the kinds of an API, "hypershift.openshift.io/v1beta1"; none where the server does not have it.
	Kinds(ctx context.Context, apiVersion string) ([]string, error)
}

// ClusterPlan describes what a plan requires of a management cluster.
type ClusterPlan struct {
	// Operators are the deployments that act on the stack's objects.
	Operators []clusterstatus.Deployment
	// Resources are those that the plan leaves.
	Resources []apitype.ResourceV3
	// CheckFields fails where the cluster's definitions lack a field of the plan's objects. nil checks none.
	CheckFields func(context.Context) error
	// CheckIdentity fails where the cluster is not the one that the stack's objects were applied to.
	CheckIdentity func(context.Context) error
	// CheckNames fails where the cluster already has an object that the plan creates.
	CheckNames func(context.Context) error
	// Account is where the cluster's own VPC is expected, and Place its place. nil does not check the zones of the VPC.
	Account account.Account
	Place   inventory.Place
}

func clusterFinding(subject string) finding.Finding {
	return finding.Finding{Check: ManagementCluster, Severity: finding.Passed, Subject: subject}
}

// ClusterNotOpened returns the finding for a management cluster that cannot be opened with the stack's kubeconfig.
func ClusterNotOpened(err error) finding.Finding { return refusedBy(clusterFinding("API server"), err) }

// CheckCluster checks whether a management cluster answers, has the kinds of the plan's objects and their fields, and
// runs the operators.
func CheckCluster(ctx context.Context, api Cluster, p ClusterPlan) []finding.Finding {
	server := clusterFinding("API server")
	kinds, missing, err := missingKinds(ctx, api, p.Resources)
	if err != nil {
		return []finding.Finding{refusedBy(server, &failure.Error{
			Problem: "it does not answer: " + err.Error(), Remedy: "check the kubeconfig, the network and the credentials in it",
			Cause: err,
		})}
	}
	server.Problem = "it answers"
	definitions := clusterFinding("custom resource definitions")
	definitions.Problem = fmt.Sprintf("it has the kinds of the stack's objects: %d", kinds)
	if len(missing) > 0 {
		definitions.Severity = finding.Error
		definitions.Problem, definitions.Remedy = "it has no "+strings.Join(missing,
			", "), "install or upgrade the operators there, or correct the kubeconfig"
	}
	findings := []finding.Finding{server, definitions}
	if p.CheckFields != nil && len(missing) == 0 {
		fields := clusterFinding("fields of the objects")
		fields.Problem = "its definitions have all of them"
		if err := p.CheckFields(ctx); err != nil {
			fields = refusedBy(fields, err)
		}
		findings = append(findings, fields)
	}
	if err := p.CheckIdentity(ctx); err != nil {
		findings = append(findings, refusedBy(clusterFinding("identity"), err))
	}
	if p.CheckNames != nil && len(missing) == 0 {
		objects := clusterFinding("names of the objects")
		objects.Problem = "it has none of the objects that the plan creates"
		if err := p.CheckNames(ctx); err != nil {
			objects = refusedBy(objects, err)
		}
		findings = append(findings, objects)
	}
	for _, d := range p.Operators {
		findings = append(findings, runs(ctx, api, d, clusterFinding(d.Operator)))
	}
	if p.Account != nil {
		findings = append(findings, checkManagementZones(ctx, api, p.Account, p.Place)...)
	}
	return findings
}

// missingKinds counts the kinds of custom resources among resources, and lists those that the server does not have.
func missingKinds(
	ctx context.Context,
	api Cluster,
	resources []apitype.ResourceV3,
) (count int, missing []string, err error) {
	wanted := map[string][]string{}
	for _, r := range resources {
		object := unstructured.Unstructured{Object: r.Inputs}
		apiVersion, kind := object.GetAPIVersion(), object.GetKind()
		group, _, _ := strings.Cut(apiVersion, "/")
		if !strings.Contains(group, ".") || strings.HasSuffix(group,
			".k8s.io") && !strings.Contains(group, "cluster.x-k8s.io") || slices.Contains(wanted[apiVersion], kind) {
			continue
		}
		wanted[apiVersion] = append(wanted[apiVersion], kind)
		count++
	}
	if len(wanted) == 0 { // the request shows whether it answers
		_, err = api.Kinds(ctx, "apps/v1")
	}
	for apiVersion, kinds := range wanted {
		served, kindsErr := api.Kinds(ctx, apiVersion)
		if kindsErr != nil {
			return count, nil, kindsErr
		}
		for _, kind := range kinds {
			if !slices.Contains(served, kind) {
				missing = append(missing, kind+" of "+apiVersion)
			}
		}
	}
	slices.Sort(missing)
	return count, missing, err
}

// runs returns the finding for an operator: it warns where its deployment is not found, which may have another name.
func runs(ctx context.Context, api Cluster, d clusterstatus.Deployment, f finding.Finding) finding.Finding {
	object, err := api.Get(ctx, "Deployment", d.Namespace, d.Name)
	available, _, _ := unstructured.NestedInt64(object, "status", "availableReplicas")
	switch {
	case err != nil:
		f.Severity, f.Problem, f.Remedy = finding.Warning, "not checked: "+err.Error(), "check that it runs"
	case object == nil:
		f.Severity, f.Problem = finding.Warning, fmt.Sprintf("the cluster has no deployment %s/%s", d.Namespace, d.Name)
		f.Remedy = "install it (or ignore this if it runs under another name); without it nothing reconciles the objects"
	case available < 1:
		f.Severity, f.Problem = finding.Warning, fmt.Sprintf("the deployment %s/%s has no available replica", d.Namespace,
			d.Name)
		f.Remedy = "see why its pods do not run: without it the objects stay as they are"
	default:
		f.Problem = fmt.Sprintf("the deployment %s/%s is available", d.Namespace, d.Name)
	}
	return f
}

// refusedBy returns the finding for an error that up would end with.
func refusedBy(f finding.Finding, err error) finding.Finding {
	f.Severity, f.Problem, f.Remedy = finding.Error, err.Error(), "correct the kubeconfig of the stack's file"
	var known *failure.Error
	if errors.As(err, &known) {
		f.Problem, f.Remedy = known.Problem, known.Remedy
	}
	return f
}
