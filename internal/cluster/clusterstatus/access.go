package clusterstatus

import (
	"context"
	"encoding/base64"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// ReadAccess reads what HyperShift wrote for the cluster's administrators. It fails if HyperShift has not written it
// yet; the error's remedy contains the stack's name, and key is the config key of its kubeconfig.
func ReadAccess(
	ctx context.Context,
	api ManagementCluster,
	cluster *HostedCluster,
	stack, key string,
) (*status.Access, error) {
	object, err := api.Get(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name)
	if err != nil {
		return nil, err
	}
	access := &status.Access{ConsoleURL: consoleURL(object)}
	for _, secret := range []struct {
		field, key string
		into       *string
		needed     bool
	}{
		{"kubeconfig", "kubeconfig", &access.Kubeconfig, true},
		{"kubeadminPassword", "password", &access.Password, false},
	} {
		name := textAt(object, "status", secret.field, "name")
		if name == "" {
			if secret.needed {
				return nil, notYet(cluster, stack)
			}
			continue
		}
		content, err := api.Get(ctx, "Secret", cluster.Namespace, name)
		if apierrors.IsForbidden(err) {
			return nil, &failure.Error{
				Reason:  failure.Refused,
				Problem: fmt.Sprintf("the user of %s may not get Secret %s/%s in the management cluster", key, cluster.Namespace, name),
				Remedy:  "grant it a role with the verb get for this Secret there, or use another kubeconfig or context",
				Cause:   err,
			}
		}
		if err != nil {
			return nil, err
		}
		text, err := base64.StdEncoding.DecodeString(textAt(content, "data", secret.key))
		if err != nil {
			return nil, fmt.Errorf("reading the key %s of Secret %s/%s: it is not base 64", secret.key, cluster.Namespace, name)
		}
		if len(text) == 0 && secret.needed {
			return nil, notYet(cluster, stack)
		}
		*secret.into = string(text)
	}
	return access, nil
}

func notYet(cluster *HostedCluster, stack string) error {
	return &failure.Error{
		Reason: failure.Failed, Problem: "hosted cluster " + cluster.Name + " has no kubeconfig yet",
		Remedy: fmt.Sprintf("run `hypershift-aws up -s %s --wait` to wait for it", stack),
	}
}

// consoleURL returns the URL of OpenShift's console: that of its component route, or the default in the cluster's
// ingress domain.
func consoleURL(cluster map[string]any) string {
	routes, _, _ := unstructured.NestedSlice(cluster, "spec", "configuration", "ingress", "componentRoutes")
	for _, route := range routes {
		of, _ := route.(map[string]any)
		if textAt(of, "namespace") == "openshift-console" && textAt(of, "name") == "console" && textAt(of, "hostname") != "" {
			return "https://" + textAt(of, "hostname")
		}
	}
	return "https://console-openshift-console." + ingressDomain(cluster)
}

// ingressDomain returns the domain of a cluster's routes. Source: HyperShift's IngressDomain in support/globalconfig.
func ingressDomain(cluster map[string]any) string {
	for _, field := range []string{"appsDomain", "domain"} {
		if domain := textAt(cluster, "spec", "configuration", "ingress", field); domain != "" {
			return domain
		}
	}
	domain := textAt(cluster, "spec", "dns", "baseDomain")
	switch prefix, given, _ := unstructured.NestedString(cluster, "spec", "dns", "baseDomainPrefix"); {
	case !given:
		domain = textAt(cluster, "metadata", "name") + "." + domain
	case prefix != "":
		domain = prefix + "." + domain
	}
	return "apps." + domain
}

// textAt returns the text at a path of an object, or "" if there is none.
func textAt(object map[string]any, path ...string) string {
	text, _, _ := unstructured.NestedString(object, path...)
	return text
}
