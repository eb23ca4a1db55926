// Program admit sends objects to the webhooks of Cluster API and of its AWS provider, as an API server does, without
// one. Stdin has an AdmissionReview's object, and optionally the object before, per line: {"object": {…}, "old": {…}}.
// Stdout has a line for each: {"message": "…"}, which is empty for an object that the webhooks accept.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	infrafeature "sigs.k8s.io/cluster-api-provider-aws/v2/feature"
	infrawebhooks "sigs.k8s.io/cluster-api-provider-aws/v2/webhooks"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	bootstrapwebhooks "sigs.k8s.io/cluster-api/bootstrap/kubeadm/webhooks"
	controlplanewebhooks "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks"
	corefeature "sigs.k8s.io/cluster-api/feature"
	corewebhooks "sigs.k8s.io/cluster-api/webhooks"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	handler, err := webhooks()
	if err != nil {
		return err
	}
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var request struct{ Object, Old map[string]any }
		if err := decoder.Decode(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		message, err := admit(handler, request.Object, request.Old)
		if err != nil {
			return err
		}
		if err := encoder.Encode(map[string]string{"message": message}); err != nil {
			return err
		}
	}
}

// webhooks returns the handler of all webhooks.
func webhooks() (http.Handler, error) {
	// A management cluster may enable Ignition, which is off by default.
	for _, gate := range []interface{ Set(value string) error }{infrafeature.MutableGates, corefeature.MutableGates} {
		for _, name := range []string{"BootstrapFormatIgnition=true", "KubeadmBootstrapFormatIgnition=true"} {
			_ = gate.Set(name) // each has one of the two
		}
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{infrav1.AddToScheme, bootstrapv1.AddToScheme,
		controlplanev1.AddToScheme, clusterv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	hooks := webhook.NewServer(webhook.Options{})
	manager, err := ctrl.NewManager(&rest.Config{Host: "http://127.0.0.1:1"}, ctrl.Options{
		Scheme: scheme, WebhookServer: hooks, Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	for _, of := range []interface {
		SetupWebhookWithManager(manager ctrl.Manager) error
	}{
		&infrawebhooks.AWSCluster{}, &infrawebhooks.AWSMachineTemplate{}, &infrawebhooks.AWSClusterControllerIdentity{},
		&infrawebhooks.AWSClusterRoleIdentity{}, &infrawebhooks.AWSClusterStaticIdentity{},
		&bootstrapwebhooks.KubeadmConfigTemplate{}, &controlplanewebhooks.KubeadmControlPlane{},
		&corewebhooks.Cluster{Client: manager.GetClient()}, &corewebhooks.MachineDeployment{},
		&corewebhooks.MachineHealthCheck{},
	} {
		if err := of.SetupWebhookWithManager(manager); err != nil {
			return nil, err
		}
	}
	return hooks.WebhookMux(), nil
}

// admit lets the webhooks default an object and then judge it, and returns why they refuse it, "" if they do not.
func admit(handler http.Handler, object, old map[string]any) (string, error) {
	for _, does := range []string{"mutate", "validate"} {
		response, err := review(handler, does, object, old)
		if err != nil || response == nil {
			return "", err
		}
		if !response.Allowed {
			return response.Result.Message, nil
		}
		if object, err = patched(object, response.Patch); err != nil {
			return "", err
		}
	}
	return "", nil
}

// review sends an object to one webhook; the response is nil if its kind has none of the sort.
func review(handler http.Handler, does string, object, old map[string]any) (*admissionv1.AdmissionResponse, error) {
	is := unstructured.Unstructured{Object: object}
	kind := is.GroupVersionKind()
	request := &admissionv1.AdmissionRequest{
		UID: "1", Kind: metav1.GroupVersionKind(kind), Name: is.GetName(), Namespace: is.GetNamespace(), Operation: admissionv1.Create,
		Resource: metav1.GroupVersionResource{
			Group:    kind.Group,
			Version:  kind.Version,
			Resource: strings.ToLower(kind.Kind) + "s",
		},
	}
	var err error
	if request.Object.Raw, err = json.Marshal(object); err != nil {
		return nil, err
	}
	if old != nil {
		request.Operation = admissionv1.Update
		if request.OldObject.Raw, err = json.Marshal(old); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"}, Request: request,
	})
	if err != nil {
		return nil, err
	}
	path := "/" + does + "-" + strings.ReplaceAll(kind.Group, ".",
		"-") + "-" + kind.Version + "-" + strings.ToLower(kind.Kind)
	call := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	call.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, call)
	if answer.Code == http.StatusNotFound {
		if does == "mutate" {
			return &admissionv1.AdmissionResponse{Allowed: true}, nil
		}
		return nil, fmt.Errorf("%s has no webhook at %s", kind.Kind, path)
	}
	var reviewed admissionv1.AdmissionReview
	if err := json.Unmarshal(answer.Body.Bytes(), &reviewed); err != nil || reviewed.Response == nil {
		return nil, fmt.Errorf("%s answered %d %s: %w", path, answer.Code, answer.Body, err)
	}
	return reviewed.Response, nil
}

// patched returns an object with a JSON patch.
func patched(object map[string]any, patch []byte) (map[string]any, error) {
	if len(patch) == 0 {
		return object, nil
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if text, err = operations.Apply(text); err != nil {
		return nil, err
	}
	var after map[string]any
	return after, json.Unmarshal(text, &after)
}
