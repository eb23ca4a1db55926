package conformance

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	management "github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestARealAPIServerAcceptsTheInstallationAndItsUpgrade sends the objects that the stack registers for two renders to
// an API server, as pulumi-kubernetes does: definitions are applied as the manager of HyperShift's CLI, after which the
// operator writes a CA to them; others are created, and later applied.
func TestARealAPIServerAcceptsTheInstallationAndItsUpgrade(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the installation of HyperShift's operator with a real API server, which make conformance builds and starts")
	}
	c := startRealCluster(t)
	server := httptest.NewTLSServer(nil)
	testCA := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{
		Type:  "CERTIFICATE",
		Bytes: server.Certificate().Raw,
	}))
	server.Close()
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
	apply := func(object props.Map, manager string, force bool) (int, string) {
		path := installedPath(object) + "/" + object.Object("metadata").String("name") + "?fieldManager=" + manager
		if force {
			path += "&force=true"
		}
		code, text, err := c.Try(http.MethodPatch, path, "application/apply-patch+yaml", object)
		require.NoError(t, err)
		return code, string(text)
	}
	for round, render := range []string{stackfile.RecordedRender(t, "first"), stackfile.RecordedRender(t, "second")} {
		stack := harness.NewManagement(t)
		stack.Configure(stackfile.Installer(render, ""))
		stack.Up()
		for _, resource := range stack.Custom() {
			object := props.Map(resource.Inputs)
			group, _, _ := strings.Cut(object.String("apiVersion"), "/")
			if !strings.HasPrefix(string(resource.Type), "kubernetes:") || group == "monitoring.coreos.com" ||
				object.String("kind") == "Secret" {
				continue
			}
			patch := strings.HasSuffix(string(resource.Type), "Patch")
			switch {
			case round == 0 && !patch:
				c.send(http.MethodPost, installedPath(object)+"?fieldManager=pulumi-kubernetes", object)
			default:
				code, text := apply(object, cmp.Or(managerOf(object), "pulumi-kubernetes-installer"), patch || round == 1)
				require.Less(t, code, 300, "%s %s: %s", object.String("kind"), object.Object("metadata").String("name"), text)
			}
		}
		// The operator writes the CA of its webhook, which no render has.
		c.send(http.MethodPatch, definitions+"nodepools.hypershift.openshift.io?fieldManager=hypershift-operator",
			map[string]any{
				"spec": map[string]any{
					"conversion": map[string]any{"webhook": map[string]any{"clientConfig": map[string]any{"caBundle": testCA}}},
				},
			})
	}
	nodePools := c.send(http.MethodGet, definitions+"nodepools.hypershift.openshift.io", nil)
	require.Equal(t, []string{"v1beta1"}, nodePools.Object("status").Strings("storedVersions"))
	machines := c.send(http.MethodGet, definitions+"machines.cluster.x-k8s.io", nil)
	require.Equal(t, []string{"v1beta1", "v1beta2"}, machines.Object("status").Strings("storedVersions"))
	require.Equal(t, testCA, nodePools.Object("spec").Object("conversion").Object("webhook").Object("clientConfig").
		String("caBundle"))

	nodePools.Object("spec").Objects("versions")[0]["name"] = "v1beta2"
	delete(nodePools, "status")
	nodePools.Object("metadata")["managedFields"] = nil
	code, text := apply(nodePools, "hypershift", true)
	require.Equal(t, http.StatusUnprocessableEntity, code, text)
	require.Contains(t, text, "storedVersions")

	deployment := c.send(http.MethodGet, "/apis/apps/v1/namespaces/hypershift/deployments/operator", nil)
	deployment.Object("spec")["replicas"] = 1.0
	delete(deployment, "status")
	deployment["metadata"] = map[string]any{"name": "operator", "namespace": "hypershift"}
	code, text = apply(deployment, "someone-else", false)
	require.Equal(t, http.StatusConflict, code, text)
}

// managerOf returns the field manager in an object's annotation, "" for an object that the stack has with or without an
// installed operator.
func managerOf(object props.Map) string {
	return object.Object("metadata").Object("annotations").String("pulumi.com/patchFieldManager")
}

// A render is applied to an API server as `hypershift install` does, and then the objects of a stack with a later one,
// as they are adopted.
func TestARealAPIServerLetsTheStackTakeTheCLIsInstallationOver(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the take-over of HyperShift's operator with a real API server, which make conformance builds and starts")
	}
	c := startRealCluster(t)
	apply := func(object props.Map, force bool) (int, string) {
		path := fmt.Sprintf("%s/%s?fieldManager=hypershift&force=%t", installedPath(object),
			object.Object("metadata").String("name"), force)
		code, text, err := c.Try(http.MethodPatch, path, "application/apply-patch+yaml", object)
		require.NoError(t, err)
		return code, string(text)
	}
	untested := func(object props.Map) bool { // a kind of another operator's
		return strings.HasPrefix(object.String("apiVersion"), "monitoring.coreos.com/")
	}
	text, err := os.ReadFile(stackfile.RecordedRender(t, "first"))
	require.NoError(t, err)
	rendered, err := management.ReadManifests(string(text))
	require.NoError(t, err)
	slices.SortStableFunc(rendered, func(a, b unstructured.Unstructured) int {
		return cmp.Compare(slices.Index([]string{"Namespace", "CustomResourceDefinition"}, b.GetKind()),
			slices.Index([]string{"Namespace", "CustomResourceDefinition"}, a.GetKind()))
	})
	uids := map[string]string{}
	for _, one := range rendered {
		if object := props.Map(one.Object); !untested(object) {
			code, answer := apply(object, true)
			require.Less(t, code, 300, "%s %s: %s", one.GetKind(), one.GetName(), answer)
			made := c.send(http.MethodGet, installedPath(object)+"/"+one.GetName(), nil)
			uids[one.GetKind()+" "+one.GetName()] = made.Object("metadata").String("uid")
		}
	}

	stack := harness.NewManagement(t)
	stack.Configure(stackfile.Installer(stackfile.RecordedRender(t, "second"), ""))
	stack.Up()
	taken := 0
	for _, resource := range stack.Custom() {
		object := props.Map(resource.Inputs)
		if !strings.HasPrefix(string(resource.Type), "kubernetes:") || untested(object) || managerOf(object) == "" {
			continue
		}
		require.Equal(t, "hypershift", managerOf(object))
		code, answer := apply(object, strings.HasSuffix(string(resource.Type), "Patch"))
		require.Less(t, code, 300, "%s %s: %s", object.String("kind"), object.Object("metadata").String("name"), answer)
		now := c.send(http.MethodGet, installedPath(object)+"/"+object.Object("metadata").String("name"), nil)
		id := object.String("kind") + " " + object.Object("metadata").String("name")
		require.Equal(t, uids[id], now.Object("metadata").String("uid"), id)
		taken++
	}
	require.Greater(t, taken, 40)

	deployment := props.Map{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata":   map[string]any{"name": "operator", "namespace": "hypershift"},
	}
	live := c.send(http.MethodGet, installedPath(deployment)+"/operator", nil)
	require.Contains(t, fmt.Sprint(live.Object("spec").Object("template").Object("spec").Objects("containers")[0]["args"]),
		"--oidc-storage-provider-s3-bucket-name=demo-oidc")
	deployment["spec"] = map[string]any{"replicas": 3.0}
	code, answer, err := c.Try(http.MethodPatch,
		installedPath(deployment)+"/operator?fieldManager=someone-else&force=true", "application/apply-patch+yaml",
		deployment)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code, string(answer))
	for _, resource := range stack.Custom() {
		if object := props.Map(resource.Inputs); object.String("kind") == "Deployment" &&
			object.Object("metadata").String("name") == "operator" {
			code, answer := apply(object, false)
			require.Equal(t, http.StatusConflict, code, answer)
			var refused struct{ Message string }
			require.NoError(t, json.Unmarshal([]byte(answer), &refused))
			words, known := report.Explain(refused.Message)
			require.True(t, known, refused.Message)
			require.Contains(t, words, "someone-else of the management cluster has set the field .spec.replicas")
		}
	}
}

// installedPath returns the path of the objects of an object's kind and namespace.
func installedPath(object props.Map) string {
	path := "/apis/" + object.String("apiVersion")
	if object.String("apiVersion") == "v1" {
		path = "/api/v1"
	}
	if namespace := object.Object("metadata").String("namespace"); namespace != "" {
		path += "/namespaces/" + namespace
	}
	plural := strings.ToLower(object.String("kind")) + "s"
	if strings.HasSuffix(plural, "classs") {
		plural = strings.TrimSuffix(plural, "s") + "es"
	}
	return path + "/" + plural
}
