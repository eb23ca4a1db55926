package operation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

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
