package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	schemas "github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// hypershiftManager is the field manager of HyperShift's operator.
const hypershiftManager = "hypershift-operator-manager"

// CLIManager is the field manager of HyperShift's CLI, which creates objects and does not change them again.
const CLIManager = "hypershift"

// Server describes which kinds and fields of HyperShift a management cluster's API server supports.
type Server struct {
	schemas map[string]map[string]any
	// compiled are the schemas that values were compared with.
	compiled map[string]*schemas.Published
}

// ReadServer reads HyperShift's kinds from a management cluster's API server. It fails if the server does not answer or
// lacks one of them. key is the config key of the kubeconfig.
func ReadServer(ctx context.Context, api ManagementCluster, key string) (*Server, error) {
	published, err := api.Schemas(ctx)
	if err != nil {
		return nil, NoAnswer(err, key)
	}
	var missing []string
	for _, kind := range []string{crd.HostedCluster, crd.NodePool} {
		if _, has := published[kind]; !has {
			missing = append(missing, kind)
		}
	}
	if len(missing) > 0 {
		return nil, &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("the management cluster has no kind %s in %s", strings.Join(missing, " and no kind "),
				crd.APIVersion),
			Remedy: "install HyperShift there (`hypershift install`), in a version that serves this API, or correct " + key +
				" if it selects another cluster",
		}
	}
	return NewServer(published), nil
}

// NewServer returns a server that publishes schemas, by kind.
func NewServer(published map[string]map[string]any) *Server {
	return &Server{published, map[string]*schemas.Published{}}
}

// NoAnswer returns the error of a management cluster that does not answer. key is the config key of its kubeconfig.
func NoAnswer(err error, key string) error {
	return &failure.Error{
		Reason: failure.Failed, Problem: "the management cluster does not answer: " + err.Error(),
		Remedy: "check " + key + ", the network and the credentials in it", Cause: err,
	}
}

// Schema returns the schema that the server publishes for a kind, nil without one.
func (s *Server) Schema(kind string) map[string]any { return s.schemas[kind] }

// CheckFields fails if an object has fields that the server's version of HyperShift does not support. key returns a
// field's config key, nil if it is not known.
func (s *Server) CheckFields(object map[string]any, key func(path string) string) error {
	kind := textAt(object, "kind")
	unknown := unknownFields(s.schemas[kind], map[string]any{"spec": object["spec"]}, "")
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	remedy := "upgrade HyperShift there, or remove the config keys that set these fields"
	if key != nil {
		remedy = "upgrade HyperShift there, or remove " + strings.Join(keysOf(unknown, key), ", ")
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the HyperShift version of the management cluster does not support %s of a %s",
			strings.Join(unknown, ", "), kind),
		Remedy: remedy,
	}
}

// CheckValues fails if the server's version of HyperShift refuses values of an object; old is the object before, nil
// for a new one. Values that contain placeholder, which stands for one that is not known yet, are not judged. key is as
// in CheckFields.
func (s *Server) CheckValues(object, old map[string]any, placeholder string, key func(path string) string) error {
	kind := textAt(object, "kind")
	faults := s.refused(kind, object, old, placeholder)
	if len(faults) == 0 {
		return nil
	}
	var paths, problems []string
	for _, f := range faults {
		paths, problems = append(paths, f.Path), append(problems, f.Error())
	}
	remedy := "correct the config keys that set these fields, or upgrade HyperShift there"
	if key != nil {
		remedy = "correct " + strings.Join(keysOf(paths, key), ", ") + ", or upgrade HyperShift there"
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("a value of a %s is refused: %s", kind, strings.Join(problems, "; ")), Remedy: remedy,
	}
}

// published returns the schema of a kind that the server publishes, nil without one, and if it cannot be compiled.
func (s *Server) published(kind string) *schemas.Published {
	if _, done := s.compiled[kind]; !done && s.schemas[kind] != nil {
		s.compiled[kind], _ = schemas.Publish(s.schemas[kind])
	}
	return s.compiled[kind]
}

// refused returns the faults of an object's values by the schema that the server publishes. Without one, the server
// judges them itself.
func (s *Server) refused(kind string, object, old map[string]any, placeholder string) fault.Faults {
	published := s.published(kind)
	if published == nil {
		return nil
	}
	faults, err := published.Refused(object, old, placeholder)
	if err != nil {
		return nil
	}
	return faults
}

var _ hostedcluster.API = (*Server)(nil)

// Validate implements hostedcluster.API.
func (s *Server) Validate(object map[string]any) error {
	faults := fault.In(crd.Set.ValidateMetadata(object))
	return append(faults, s.refused(textAt(object, "kind"), object, nil, "")...).Err()
}

// ValidateUpdate implements hostedcluster.API.
func (s *Server) ValidateUpdate(object, old map[string]any) error {
	return s.refused(textAt(object, "kind"), object, old, "").Err()
}

func keysOf(paths []string, key func(path string) string) []string {
	var keys []string
	for _, path := range paths {
		keys = append(keys, key(path))
	}
	return keys
}

// unknownFields returns the paths in a value that its schema does not have. A schema without properties allows any.
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

// LivingObject returns the UID of the object of a cluster that is alive, wherever it is: that of a HostedCluster with
// the infra ID, and of a Cluster with the name, by which its resources are tagged; "" if there is none. place is where
// a state has, or had, the object, and never where only a file has it: its absence there shows nothing. If the caller
// may not list the objects of all namespaces, only the one at place is read.
func LivingObject(ctx context.Context, api LiveReader, kind, infraID, name string, place ObjectKey) (string, error) {
	objects, err := api.List(ctx, kind, "")
	if apierrors.IsForbidden(err) && place.Name != "" {
		object, getErr := api.Get(ctx, kind, place.Namespace, place.Name)
		if getErr != nil {
			return "", err
		}
		objects, err = []map[string]any{object}, nil
	}
	if err != nil {
		return "", err
	}
	is := func(object map[string]any) bool {
		if kind == crd.HostedCluster && infraID != "" {
			return textAt(object, "spec", "infraID") == infraID
		}
		return textAt(object, "metadata", "name") == name
	}
	for _, object := range objects {
		if object != nil && is(object) {
			return textAt(object, "metadata", "uid"), nil
		}
	}
	return "", nil
}

// CheckNotDeleted fails if the stack's HostedCluster is being deleted: its operators no longer carry out changes.
func CheckNotDeleted(ctx context.Context, api ManagementCluster, cluster *HostedCluster, stack string) error {
	object, err := api.Get(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name)
	if err != nil {
		return err
	}
	since := textAt(object, "metadata", "deletionTimestamp")
	if since == "" {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("the HostedCluster %s/%s has been in deletion since %s", cluster.Namespace, cluster.Name, since),
		Remedy: fmt.Sprintf("wait until it is deleted and run `hypershift-aws refresh -s %s`, which lets up create it again, or "+
			"continue the deletion with `hypershift-aws destroy -s %s --cluster %s`", stack, stack, cluster.Name),
	}
}

// CheckNamespace fails if a namespace is being deleted. One that does not exist, or may not be read, passes.
func CheckNamespace(ctx context.Context, api ManagementCluster, name, stack string) error {
	object, err := api.Get(ctx, "Namespace", "", name)
	since := textAt(object, "metadata", "deletionTimestamp")
	if err != nil || since == "" {
		return nil //nolint:nilerr // the API server decides what may not be read
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("the namespace %s of the management cluster has been in deletion since %s, and accepts no objects", name, since),
		Remedy: fmt.Sprintf("wait until it is deleted, or find what keeps it there with `kubectl describe namespace %s`, and run `hypershift-aws up -s %s` again; "+
			"or use another namespace in the stack's file", name, stack),
	}
}

// TakeOverTags removes HyperShift's operator as a manager of a HostedCluster's resource tags. The operator becomes
// their manager if the list lacked the owner's tag. It reports whether it did so. The list itself does not change.
func TakeOverTags(ctx context.Context, api ManagementCluster, cluster *HostedCluster) (bool, error) {
	return api.Disown(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name, hypershiftManager, "spec", "platform",
		"aws", "resourceTags")
}
