package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
)

// hypershiftManager is the name under which HyperShift's operator writes objects.
const hypershiftManager = "hypershift-operator-manager"

// resourceTags is the field that HyperShift's operator takes over where it lacks the owner's tag.
func resourceTags() []string { return []string{"spec", "platform", "aws", "resourceTags"} }

// Server is what a management cluster's API server has of HyperShift.
type Server struct {
	schemas map[string]map[string]any
}

// AskServer asks the API server of a management cluster for HyperShift's kinds. It fails where the server does not answer
// or has not both of them.
func AskServer(ctx context.Context, api ManagementCluster) (*Server, error) {
	schemas, err := api.Schemas(ctx)
	if err != nil {
		return nil, &failure.Error{
			Reason: failure.Failed, Problem: "the management cluster does not answer: " + err.Error(),
			Remedy: "check cluster.hostedCluster.kubeconfig, the network and the credentials in it", Cause: err,
		}
	}
	var missing []string
	for _, kind := range []string{crd.HostedCluster, crd.NodePool} {
		if _, has := schemas[kind]; !has {
			missing = append(missing, kind)
		}
	}
	if len(missing) > 0 {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the management cluster has no %s of %s", strings.Join(missing, " and no "), crd.APIVersion),
			Remedy:  "install HyperShift there (`hypershift install`), or correct cluster.hostedCluster.kubeconfig if it leads to another cluster",
		}
	}
	return &Server{schemas}, nil
}

// CheckFields fails where an object has fields that the server's HyperShift does not know.
func (s *Server) CheckFields(object map[string]any) error {
	kind, _ := object["kind"].(string)
	unknown := unknownFields(s.schemas[kind], map[string]any{"spec": object["spec"]}, "")
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("the HyperShift of the management cluster does not know %s of a %s", strings.Join(unknown, ", "), kind),
		Remedy:  "upgrade HyperShift there, or leave out the keys that set these fields",
	}
}

// unknownFields are the paths of what a value has and its schema has not. A schema that lists no properties takes any.
func unknownFields(schema map[string]any, value any, path string) []string {
	var unknown []string
	switch v := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		more, _ := schema["additionalProperties"].(map[string]any)
		for key, inner := range v {
			at := strings.TrimPrefix(path+"."+key, ".")
			of, known := properties[key].(map[string]any)
			switch {
			case known:
				unknown = append(unknown, unknownFields(of, inner, at)...)
			case more != nil:
				unknown = append(unknown, unknownFields(more, inner, at)...)
			case properties != nil && schema["x-kubernetes-preserve-unknown-fields"] != true:
				unknown = append(unknown, at)
			}
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, inner := range v {
			for _, at := range unknownFields(items, inner, path) {
				if !slices.Contains(unknown, at) {
					unknown = append(unknown, at)
				}
			}
		}
	}
	return unknown
}

// FindLiving returns the HostedCluster that has an infra ID, nil where there is none. Who may not list the objects of all
// namespaces is told of the one of that name alone.
func FindLiving(ctx context.Context, api ManagementCluster, infraID, namespace, name string) (*HostedCluster, error) {
	objects, err := api.List(ctx, crd.HostedCluster)
	if err != nil {
		if namespace == "" || name == "" {
			return nil, err
		}
		object, getErr := api.Get(ctx, crd.HostedCluster, namespace, name)
		if getErr != nil {
			return nil, err
		}
		objects = []map[string]any{object}
	}
	for _, object := range objects {
		if infraID != "" && textAt(object, "spec", "infraID") == infraID {
			return &HostedCluster{
				Name: textAt(object, "metadata", "name"), Namespace: textAt(object, "metadata", "namespace"), UID: textAt(object, "metadata", "uid"),
			}, nil
		}
	}
	return nil, nil
}

// CheckIdentity fails where the management cluster does not have the HostedCluster that the stack has made. A HostedCluster
// cannot move: the kubeconfig leads to another cluster, or somebody has deleted it.
func CheckIdentity(ctx context.Context, api ManagementCluster, cluster *HostedCluster, stack string) error {
	object, err := api.Get(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name)
	if err != nil {
		return err
	}
	uid := textAt(object, "metadata", "uid")
	if cluster.UID == "" || uid == cluster.UID {
		return nil
	}
	problem := fmt.Sprintf("the management cluster has no HostedCluster %s/%s, which stack %s has made", cluster.Namespace, cluster.Name, stack)
	if object != nil {
		problem = fmt.Sprintf("the HostedCluster %s/%s of the management cluster is not the one that stack %s has made: its UID is %s, not %s",
			cluster.Namespace, cluster.Name, stack, uid, cluster.UID)
	}
	return &failure.Error{
		Reason: failure.Refused, Problem: problem,
		Remedy: fmt.Sprintf("correct cluster.hostedCluster.kubeconfig if it leads to another cluster; if the object was deleted there, "+
			"run `hypershift-aws refresh -s %s` first", stack),
	}
}

// TakeOverTags has HyperShift's operator manage a HostedCluster's resource tags no more, which it does where the list has
// once lacked the owner's tag. It reports whether it did so. Nothing else changes: the list stays as it is.
func TakeOverTags(ctx context.Context, api ManagementCluster, cluster *HostedCluster) (bool, error) {
	object, err := api.Get(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name)
	if err != nil || !managedByHyperShift(object) {
		return false, err
	}
	return true, api.Disown(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name, hypershiftManager, resourceTags()...)
}

func managedByHyperShift(object map[string]any) bool {
	entries, _ := valueAt(object, "metadata", "managedFields").([]any)
	return slices.ContainsFunc(entries, func(item any) bool {
		entry, _ := item.(map[string]any)
		path := []string{"fieldsV1"}
		for _, key := range resourceTags() {
			path = append(path, "f:"+key)
		}
		return entry["manager"] == hypershiftManager && entry["operation"] == "Update" && entry["subresource"] == nil &&
			valueAt(entry, path...) != nil
	})
}
