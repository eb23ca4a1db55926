package kubernetes

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// apiServer is a real API server with the requests of the script.
type apiServer struct {
	*apiserver.Server
	t *testing.T
}

// startAPIServer starts both processes from a folder of their executables; they end with the test.
func startAPIServer(t *testing.T, bin string) *apiServer {
	t.Helper()
	return &apiServer{apiserver.Start(t, bin), t}
}

func (s *apiServer) ask(method, path, contentType string, body any) answer {
	s.t.Helper()
	code, text, err := s.Try(method, path, contentType, body)
	require.NoError(s.t, err)
	var object map[string]any
	require.NoError(s.t, json.Unmarshal(text, &object), "%s", text)
	a := answer{Code: code, Object: object}
	if object["kind"] == "Status" {
		a.Object = nil
		a.Reason, _ = object["reason"].(string)
		a.Message, _ = object["message"].(string)
	}
	return a
}

// minor returns the minor version of the server, such as 34 of Kubernetes 1.34.
func (s *apiServer) minor() int {
	s.t.Helper()
	text, _ := s.ask(http.MethodGet, "/version", "", nil).Object["minor"].(string)
	minor, err := strconv.Atoi(text)
	require.NoError(s.t, err)
	return minor
}

// crdFile reads the definition of a custom resource from a file.
func crdFile(t *testing.T, path string) props.Map {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	var reader io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		reader, err = gzip.NewReader(file)
		require.NoError(t, err)
	}
	var definition map[string]any
	require.NoError(t, json.NewDecoder(reader).Decode(&definition))
	return definition
}

// install applies the definitions of custom resources to the API server.
func (s *apiServer) install(paths ...string) {
	s.t.Helper()
	for _, path := range paths {
		s.define(crdFile(s.t, path))
	}
}

// define applies the definition of a custom resource.
func (s *apiServer) define(definition props.Map) {
	s.t.Helper()
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	made := s.ask(http.MethodPost, definitions, "application/json", definition)
	require.Equal(s.t, http.StatusCreated, made.Code, made.Message)
	name := props.Map(made.Object).Object("metadata").String("name")
	require.Eventually(s.t, func() bool {
		for _, condition := range props.Map(s.ask(http.MethodGet, definitions+"/"+name, "",
			nil).Object).Object("status").Objects("conditions") {
			if condition.String("type") == "Established" && condition.String("status") == "True" {
				return true
			}
		}
		return false
	}, time.Minute, 100*time.Millisecond, "the API server serves %s", name)
}

// path returns where the API server has an object of the kind, or all of them in a namespace where the name is "".
func (s *apiServer) path(k *ObjectKind, namespace, name string) string {
	prefix, plural := "/api/"+k.apiVersion, k.resource().Resource
	if k.custom {
		prefix = "/apis/" + k.apiVersion
	}
	if namespace != "" {
		prefix += "/namespaces/" + namespace
	}
	if name != "" {
		plural += "/" + name
	}
	return prefix + "/" + plural
}

func (s *apiServer) of(k *ObjectKind, object props.Map) string {
	metadata := object.Object("metadata")
	return s.path(k, metadata.String("namespace"), metadata.String("name"))
}

// create implements judged.
func (s *apiServer) create(k *ObjectKind, object props.Map) answer {
	return s.ask(http.MethodPost, s.path(k, object.Object("metadata").String("namespace"), "")+"?fieldManager="+createdBy,
		"application/json", object)
}

// apply implements judged. What pulumi-kubernetes created by its first call it makes the applying manager's before it
// applies.
func (s *apiServer) apply(k *ObjectKind, object props.Map, manager string, force bool) answer {
	path := s.of(k, object)
	if now := s.ask(http.MethodGet, path, "", nil); k.patches == "" && now.Code == http.StatusOK &&
		slices.ContainsFunc(props.Map(now.Object).Object("metadata").Objects("managedFields"), takenOver) {
		owned, err := OwnedByApplier(now.Object, manager)
		require.NoError(s.t, err)
		fields := owned.Object("metadata")["managedFields"]
		taken := s.ask(http.MethodPatch, path, "application/merge-patch+json", map[string]any{
			"metadata": map[string]any{"managedFields": fields},
		})
		require.Equal(s.t, http.StatusOK, taken.Code, taken.Message)
	}
	return s.ask(http.MethodPatch, fmt.Sprintf("%s?fieldManager=%s&force=%t", path, url.QueryEscape(manager), force),
		"application/apply-patch+yaml", object)
}

// dryApply implements judged: pulumi-kubernetes takes nothing over before a dry run, and forces it as long as it has
// not applied.
func (s *apiServer) dryApply(k *ObjectKind, object props.Map, manager string) answer {
	path := s.of(k, object)
	force := CreatedNotApplied(s.ask(http.MethodGet, path, "", nil).Object)
	return s.ask(http.MethodPatch, fmt.Sprintf("%s?dryRun=All&fieldManager=%s&force=%t", path, url.QueryEscape(manager),
		force),
		"application/apply-patch+yaml", object)
}

// scale implements judged.
func (s *apiServer) scale(k *ObjectKind, namespace, name string, replicas int) answer {
	scaled := s.ask(http.MethodPatch, s.path(k, namespace, name)+"/scale?fieldManager=kubectl",
		"application/merge-patch+json",
		map[string]any{"spec": map[string]any{"replicas": replicas}})
	if scaled.Code != http.StatusOK {
		return scaled
	}
	return s.get(k, namespace, name)
}

// edit implements judged.
func (s *apiServer) edit(k *ObjectKind, namespace, name, manager string, change func(map[string]any)) answer {
	path := s.path(k, namespace, name)
	now := s.ask(http.MethodGet, path, "", nil)
	if now.Code != http.StatusOK {
		return now
	}
	change(now.Object)
	written := s.ask(http.MethodPut, path+"?fieldManager="+url.QueryEscape(manager), "application/json", now.Object)
	if left := s.get(k, namespace, name); written.Code == http.StatusOK && left.Code == http.StatusNotFound {
		written.Object = nil // it was the last change
	}
	return written
}

// remove implements judged.
func (s *apiServer) remove(k *ObjectKind, namespace, name string) answer {
	return s.ask(http.MethodDelete, s.path(k, namespace, name), "application/json",
		map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"})
}

// get implements judged.
func (s *apiServer) get(k *ObjectKind, namespace, name string) answer {
	return s.ask(http.MethodGet, s.path(k, namespace, name), "", nil)
}
