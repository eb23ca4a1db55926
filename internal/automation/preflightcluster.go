package automation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// preflightCluster is a management cluster as preflight asks it.
type preflightCluster interface {
	clusterstatus.ManagementCluster
	// Kinds are the kinds of an API, "hypershift.openshift.io/v1beta1"; none where the server does not have it.
	Kinds(ctx context.Context, apiVersion string) ([]string, error)
}

var (
	_ preflightCluster = (*kubeapi.Cluster)(nil)
	_ preflightCluster = offlineCluster{}
)

// deployment is an operator's.
type deployment struct{ namespace, name, operator string }

// operators are the deployments that bring the objects of a stack's kind up.
func operators(kind config.Kind) []deployment {
	switch kind {
	case config.KindCluster:
		return []deployment{{"hypershift", "operator", "HyperShift's operator"}}
	case config.KindCAPA:
		return []deployment{
			{"capi-system", "capi-controller-manager", "Cluster API's controller"},
			{"capa-system", "capa-controller-manager", "Cluster API Provider AWS"},
		}
	case config.KindManagement: // its objects are for the operator's installation
	}
	return nil
}

// appliedBy is how the stack's file leads to its management cluster, nil where it applies no objects.
func appliedBy(file *config.File) *config.Kubeconfig {
	switch {
	case file == nil:
	case file.Cluster != nil && file.Cluster.HostedCluster != nil:
		return file.Cluster.HostedCluster.Kubeconfig
	case file.CAPA != nil:
		return file.CAPA.Kubeconfig
	case file.Management != nil:
		return file.Management.Kubeconfig
	}
	return nil
}

// managementFindings are those of the management cluster: whether it answers, has the kinds and their fields, and runs the operators.
func (s *Stack) managementFindings(ctx context.Context, planned *plan.Plan) []preflight.Finding {
	kubeconfig := appliedBy(s.file)
	if kubeconfig == nil {
		return nil
	}
	finding := func(subject string) preflight.Finding {
		return preflight.Finding{Check: preflight.ManagementCluster, Verdict: preflight.Passes, Subject: subject}
	}
	api, err := s.openPreflightCluster(*kubeconfig)
	if err != nil {
		return []preflight.Finding{refusedBy(finding("API server"), err)}
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	server := finding("API server")
	kinds, missing, err := missingKinds(ctx, api, planned)
	if err != nil {
		return []preflight.Finding{refusedBy(server, &failure.Error{
			Problem: "it does not answer: " + err.Error(), Remedy: "check the kubeconfig, the network and the credentials in it", Cause: err,
		})}
	}
	server.Message = "it answers"
	findings := []preflight.Finding{server}
	definitions := finding("custom resource definitions")
	definitions.Message = fmt.Sprintf("it has the %d kinds of the stack's objects", kinds)
	if len(missing) > 0 {
		definitions.Verdict = preflight.Fails
		definitions.Message, definitions.Remedy = "it has no "+strings.Join(missing, ", "), "install or upgrade the operators there, or correct the kubeconfig"
	}
	findings = append(findings, definitions)
	if s.file.Kind == config.KindCluster && len(missing) == 0 {
		fields, identity := finding("fields of the objects"), finding("HostedCluster")
		if err := s.CheckPlan(ctx, planned); err != nil {
			fields = refusedBy(fields, err)
		} else {
			fields.Message = "its definitions have all of them"
		}
		findings = append(findings, fields)
		if err := s.CheckManagementCluster(ctx); err != nil {
			findings = append(findings, refusedBy(identity, err))
		}
	}
	for _, d := range operators(s.file.Kind) {
		findings = append(findings, runs(ctx, api, d, finding(d.operator)))
	}
	return findings
}

// openPreflightCluster leads to the cluster of a kubeconfig.
func (s *Stack) openPreflightCluster(k config.Kubeconfig) (preflightCluster, error) {
	if s.session.Offline {
		cluster, err := offline.OpenCluster(s.session.Project.OfflineDir(), k.File, k.Context)
		return offlineCluster{cluster}, err
	}
	return kubeapi.Open(k.File, k.Context)
}

// missingKinds counts the kinds of custom resources in a plan, and lists those that the server does not have.
func missingKinds(ctx context.Context, api preflightCluster, planned *plan.Plan) (count int, missing []string, err error) {
	wanted := map[string][]string{}
	for _, r := range planned.After {
		apiVersion, _ := r.Inputs["apiVersion"].(string)
		kind, _ := r.Inputs["kind"].(string)
		group, _, _ := strings.Cut(apiVersion, "/")
		if !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") && !strings.Contains(group, "cluster.x-k8s.io") || slices.Contains(wanted[apiVersion], kind) {
			continue
		}
		wanted[apiVersion] = append(wanted[apiVersion], kind)
		count++
	}
	if len(wanted) == 0 { // the question shows whether it answers
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

// runs is the finding for an operator: it warns where its deployment is not found, which may have another name.
func runs(ctx context.Context, api preflightCluster, d deployment, f preflight.Finding) preflight.Finding {
	object, err := api.Get(ctx, "Deployment", d.namespace, d.name)
	status, _ := object["status"].(map[string]any)
	available, _ := status["availableReplicas"].(float64)
	switch {
	case err != nil:
		f.Verdict, f.Message, f.Remedy = preflight.Warns, "not checked: "+err.Error(), "check that it runs"
	case object == nil:
		f.Verdict, f.Message = preflight.Warns, fmt.Sprintf("the cluster has no deployment %s/%s", d.namespace, d.name)
		f.Remedy = "install it, unless it runs under another name: without it the objects stay as they are"
	case available < 1:
		f.Verdict, f.Message = preflight.Warns, fmt.Sprintf("the deployment %s/%s has no available replica", d.namespace, d.name)
		f.Remedy = "see why its pods do not run: without it the objects stay as they are"
	default:
		f.Message = fmt.Sprintf("the deployment %s/%s is available", d.namespace, d.name)
	}
	return f
}

// refusedBy is the finding for an error that up would end with.
func refusedBy(f preflight.Finding, err error) preflight.Finding {
	f.Verdict, f.Message, f.Remedy = preflight.Fails, err.Error(), "correct the kubeconfig of the stack's file"
	var known *failure.Error
	if errors.As(err, &known) {
		f.Message, f.Remedy = known.Problem, known.Remedy
	}
	return f
}
