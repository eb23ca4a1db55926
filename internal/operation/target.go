package operation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Resolve resolves what an operation acts on, before its first question: see gate.Target. It asks the identity gate, and fails if the credentials lead to
// another account than that of the stack's resources.
func (s *Stack) Resolve(ctx context.Context, operation gate.Operation) error {
	target, warnings, err := s.resolve(ctx, operation)
	for _, warning := range warnings {
		s.say("warning: %s", warning)
	}
	if err != nil {
		return err
	}
	s.target = target
	return nil
}

func (s *Stack) resolve(ctx context.Context, operation gate.Operation) (*gate.Target, []string, error) {
	reading, _, warnings, err := s.askIdentity(ctx, operation)
	if err != nil {
		return nil, warnings, err
	}
	dependent, err := s.dependent(ctx)
	if err != nil {
		return nil, warnings, err
	}
	target := &gate.Target{
		Stack: s.Name, ManagementCluster: reading.ManagementCluster, Server: describeServer(reading.Address), InfraID: dependent.infraID,
		File: s.session.Project.StackFileDigest(s.Name),
	}
	noAccount := []gate.Operation{gate.Release, gate.Backup, gate.Status, gate.Access}
	if !slices.Contains(noAccount, operation) {
		target.Accounts, err = s.resolveAccounts(ctx)
	}
	return target, warnings, err
}

// describeServer returns the URL of an API server's address, with a digest of the CA.
func describeServer(address string) string {
	url, ca, _ := strings.Cut(address, "\n")
	if strings.TrimSpace(ca) == "" {
		return url
	}
	return fmt.Sprintf("%s (CA %.8x)", url, sha256.Sum256([]byte(ca)))
}

// Confirm resolves the target again, and fails if it is no longer the one that the operation began with: after a decision, and directly before each run
// of the engine. For a deletion it also asks again whether the cluster is alive, and for the consent.
func (s *Stack) Confirm(ctx context.Context, operation gate.Operation) error {
	if s.target == nil {
		return s.Resolve(ctx, operation)
	}
	now, _, err := s.resolve(ctx, operation)
	if err != nil {
		return err
	}
	same := gate.WithCheck(gate.NameTarget, gate.Refuses(func(context.Context) error {
		if why := s.target.Differs(*now); why != "" {
			return s.target.Changed(operation, why)
		}
		return nil
	}))
	if _, err := same.Ask(ctx, operation); err != nil {
		return err
	}
	if operation != gate.Destroy {
		return nil
	}
	return s.confirmDeletion(ctx)
}

// confirmDeletion asks the gates of a deletion again. Consent that was given in advance, and is needed only now, is recorded.
func (s *Stack) confirmDeletion(ctx context.Context) error {
	if s.deletion == nil {
		return fmt.Errorf("internal error: no gate has judged the deletion of stack %s", s.Name)
	}
	again, err := s.judgeDeletion(ctx, s.deletion.options)
	if err != nil {
		return err
	}
	why := again.NeedsConsent()
	if why == "" || s.deletion.NeedsConsent() != "" {
		return nil
	}
	s.deletion.Deletion = again.Deletion
	return s.RecordUse(Use{Flag: gate.ConsentFlag, Value: again.Consent, Evidence: why})
}

// verifyCluster fails if a management cluster is another one than the stack's: the one that this operation has resolved or, before that, the one that
// the state records. A cluster whose namespace kube-system may not be read is not compared.
func (s *Stack) verifyCluster(ctx context.Context, api identified) error {
	own := ""
	if s.state != nil {
		own = s.recordedCluster()
	}
	if s.target != nil && s.target.ManagementCluster != "" {
		own = s.target.ManagementCluster
	}
	if own == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, kubeapi.IdentityWithin)
	defer cancel()
	uid, err := api.ClusterUID(ctx)
	if err != nil || uid == "" || uid == own {
		return err
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the kubeconfig selects another management cluster than that of stack %s: the UID of its namespace kube-system is %s, not %s",
			s.Name, uid, own),
		Remedy: "correct " + s.kubeconfigKey() + ", or its current context, so that it selects the stack's management cluster",
	}
}

// recordedTarget is the cluster that depends on a stack's resources, as far as the stack's state shows it. Empty fields are not known.
type recordedTarget struct {
	kind                     config.Kind
	infraID, name, namespace string
}

// stateTarget reads the target that a state records. A state without outputs, such as that of a first update that was interrupted, shows it by its
// resources; its kind is then that of the file, which may be nil.
func stateTarget(d *state.Deployment, file *config.File) recordedTarget {
	outputs, resources := d.Outputs(), d.InCloud()
	t := recordedTarget{kind: config.Kind(outputs.String("kind")), infraID: outputs.String("infraID"), name: outputs.String("name")}
	if t.kind == "" && file != nil {
		t.kind = file.Kind
	}
	t.kind = cmp.Or(t.kind, config.KindCluster)
	of := kind.Of(t.kind).Cluster
	if of == nil {
		return recordedTarget{kind: t.kind}
	}
	if object := of.Find(resources); object != nil {
		t.name, t.namespace = cmp.Or(object.Name, t.name), object.Namespace
	}
	for _, r := range resources {
		t.infraID = cmp.Or(t.infraID, infraIDOf(r))
	}
	return t
}

// infraIDOf returns the infra ID of the cluster that a resource belongs to, "" if the resource does not show it.
func infraIDOf(r apitype.ResourceV3) string {
	if strings.HasSuffix(string(r.Type), ":"+crd.HostedCluster) {
		infraID, _, _ := unstructured.NestedString(r.Inputs, "spec", "infraID")
		return infraID
	}
	return clusterstatus.InfraIDOf(r.Inputs)
}

// compareTarget refuses to delete the resources of a state whose file describes another kind of stack or another cluster: what the file names is that
// of another stack, which no gate has judged. The file is nil if there is none.
func compareTarget(file *config.File, d *state.Deployment) error {
	if file == nil || len(d.Resources) == 0 {
		return nil
	}
	recorded := stateTarget(d, file)
	differs := func(key, inFile, inState string) error {
		if inFile == "" || inState == "" || inFile == inState {
			return nil
		}
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("%s has %s %s, and the stack's state has %s; nothing was changed", file.Path, key, inFile, inState),
			Remedy:  fmt.Sprintf("restore %s in the file, or select the stack that the file describes with -s", inState),
		}
	}
	if err := differs(config.KindKey, string(file.Kind), string(recorded.kind)); err != nil {
		return err
	}
	of := kind.Of(file.Kind).Cluster
	if of == nil {
		return nil
	}
	namespaceKey := "namespace"
	if file.Cluster != nil {
		namespaceKey = "hostedCluster.namespace"
	}
	name, namespace, infraID := of.Identify(file.Section)
	for _, one := range []struct{ key, inFile, inState string }{
		{"infraID", infraID, recorded.infraID}, {"name", name, recorded.name}, {namespaceKey, namespace, recorded.namespace},
	} {
		if err := differs(file.Kind.Key()+"."+one.key, one.inFile, one.inState); err != nil {
			return err
		}
	}
	return nil
}
