package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// kubectl changes an object in the offline management cluster of the working folder, as other clients do. The command
// kubectl of scripts documents it.
func kubectl(args []string) (err error) {
	if len(args) < 4 || len(args) < 5 && args[0] != "scale" && args[0] != "made" {
		return errors.New("usage: kubectl scale|edit|operate|get|made KIND NAME [ARGUMENT]")
	}
	cluster, err := offline.OpenCluster(filepath.Join(".hypershift-aws", "offline"), "", "management")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	verb, kind, name, rest := args[0], args[1], args[2], args[3:]
	edit := func(manager string, change func(object map[string]any) error) error {
		var failed error
		err := cluster.Edit(kind, "clusters", name, manager, func(object map[string]any) { failed = change(object) })
		return errors.Join(failed, err)
	}
	switch verb {
	case "scale":
		replicas, err := strconv.Atoi(rest[0])
		if err != nil {
			return err
		}
		return cluster.Scale("NodePool", "clusters", name, replicas)
	case "made":
		return edit(rest[0], func(object map[string]any) error { return setCreator(object, rest[0]) })
	}
	path := strings.Split(rest[0], ".")
	var value any
	if err := json.Unmarshal([]byte(rest[1]), &value); err != nil {
		return err
	}
	set := func(object map[string]any) error {
		if value == nil {
			unstructured.RemoveNestedField(object, path...)
			return nil
		}
		return unstructured.SetNestedField(object, value, path...)
	}
	switch verb {
	case "edit":
		return edit("kubectl-edit", set)
	case "operate":
		return edit("hypershift-operator-manager", set)
	}
	object, err := cluster.Get(kind, "clusters", name)
	if err != nil {
		return err
	}
	now, _, err := unstructured.NestedFieldNoCopy(object, path...)
	if err == nil && !reflect.DeepEqual(now, value) {
		err = fmt.Errorf("%s of %s %s is %v, not %v", rest[0], kind, name, now, value)
	}
	return err
}

// setCreator makes another client the one that has created an object.
func setCreator(object map[string]any, manager string) error {
	entries, _, err := unstructured.NestedSlice(object, "metadata", "managedFields")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry := entry.(map[string]any); entry["manager"] == kubeapi.Creator ||
			entry["manager"] == hypershift.FieldManager {
			entry["manager"], entry["operation"] = manager, "Update"
		}
	}
	return unstructured.SetNestedSlice(object, entries, "metadata", "managedFields")
}
