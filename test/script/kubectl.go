package script

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// kubectl changes a field of an object in the offline management cluster with the context "management", in namespace
// clusters:
//
//	kubectl scale nodepool NAME REPLICAS
//	kubectl edit KIND NAME PATH VALUE
//	kubectl operate KIND NAME PATH VALUE
//	kubectl get KIND NAME PATH VALUE
//	kubectl made KIND NAME MANAGER
//
// edit writes a value in JSON as manager kubectl-edit, operate as HyperShift's operator does, and get fails if the
// field has another one; null is no value. made makes another client the one that has created the object.
func kubectl(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: kubectl scale|edit|operate|get|made KIND NAME ...")
	}
	cluster, err := offline.OpenCluster(ts.MkAbs(filepath.Join(".hypershift-aws", "offline")), "", "management")
	ts.Check(err)
	defer func() { ts.Check(cluster.Close()) }()
	verb, kind, name := args[0], args[1], args[2]
	if verb == "scale" {
		var replicas int
		_, err := fmt.Sscan(args[3], &replicas)
		ts.Check(err)
		ts.Check(cluster.Scale("NodePool", "clusters", name, replicas))
		return
	}
	if verb == "made" {
		ts.Check(cluster.Edit(kind, "clusters", name, args[3], func(object map[string]any) {
			entries, _, err := unstructured.NestedSlice(object, "metadata", "managedFields")
			ts.Check(err)
			for _, entry := range entries {
				if entry := entry.(map[string]any); entry["manager"] == kubeapi.Creator ||
					entry["manager"] == hypershift.FieldManager {
					entry["manager"], entry["operation"] = args[3], "Update"
				}
			}
			ts.Check(unstructured.SetNestedSlice(object, entries, "metadata", "managedFields"))
		}))
		return
	}
	path := strings.Split(args[3], ".")
	var value any
	ts.Check(json.Unmarshal([]byte(args[4]), &value))
	if manager := map[string]string{
		"edit":    "kubectl-edit",
		"operate": "hypershift-operator-manager",
	}[verb]; manager != "" {
		ts.Check(cluster.Edit(kind, "clusters", name, manager, func(object map[string]any) {
			if value == nil {
				unstructured.RemoveNestedField(object, path...)
				return
			}
			ts.Check(unstructured.SetNestedField(object, value, path...))
		}))
		return
	}
	object, err := cluster.Get(kind, "clusters", name)
	ts.Check(err)
	now, _, err := unstructured.NestedFieldNoCopy(object, path...)
	ts.Check(err)
	if !reflect.DeepEqual(now, value) {
		ts.Fatalf("%s of %s %s is %v, not %v", args[3], kind, name, now, value)
	}
}
