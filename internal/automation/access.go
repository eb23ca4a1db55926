package automation

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

// Access is how people reach a hosted cluster.
type Access struct {
	// Kubeconfig is the administrator's.
	Kubeconfig string
	// ConsoleURL is the web console's, and Password that of its user kubeadmin; "" once the cluster has other users.
	ConsoleURL, Password string
}

// Access reads what HyperShift wrote for the cluster's administrators. It fails where it has not written it yet.
func (s *Stack) Access(ctx context.Context) (*Access, error) {
	cluster, err := s.HostedCluster(ctx)
	if err != nil {
		return nil, err
	}
	if cluster == nil {
		return nil, &Error{
			Reason: Failed, Problem: "stack " + s.Name + " has made no hosted cluster",
			Remedy: fmt.Sprintf("give cluster.hostedCluster.kubeconfig in its file, and run `hypershift-aws up -s %s`", s.Name),
		}
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	object, err := api.Get(ctx, crd.HostedCluster, cluster.Namespace, cluster.Name)
	if err != nil {
		return nil, err
	}
	access := &Access{ConsoleURL: consoleURL(object)}
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
				return nil, s.notYet(cluster)
			}
			continue
		}
		content, err := api.Get(ctx, "Secret", cluster.Namespace, name)
		if err != nil {
			return nil, err
		}
		text, err := base64.StdEncoding.DecodeString(textAt(content, "data", secret.key))
		if err != nil {
			return nil, fmt.Errorf("reading the key %s of Secret %s/%s: it is not base 64", secret.key, cluster.Namespace, name)
		}
		if len(text) == 0 && secret.needed {
			return nil, s.notYet(cluster)
		}
		*secret.into = string(text)
	}
	return access, nil
}

func (s *Stack) notYet(cluster *HostedCluster) error {
	return &Error{
		Reason: Failed, Problem: "hosted cluster " + cluster.Name + " has no kubeconfig yet",
		Remedy: fmt.Sprintf("wait for it: `hypershift-aws up -s %s --wait`", s.Name),
	}
}

// consoleURL is where OpenShift puts the console of a cluster with these names.
func consoleURL(cluster map[string]any) string {
	domain := textAt(cluster, "spec", "dns", "baseDomain")
	dns, _ := valueAt(cluster, "spec", "dns").(map[string]any)
	switch prefix, given := dns["baseDomainPrefix"].(string); {
	case !given:
		domain = textAt(cluster, "metadata", "name") + "." + domain
	case prefix != "":
		domain = prefix + "." + domain
	}
	return "https://console-openshift-console.apps." + domain
}

// textAt is the text at a path of an object, "" where there is none.
func textAt(object map[string]any, path ...string) string {
	text, _ := valueAt(object, path...).(string)
	return text
}

// valueAt is the value there, nil where there is none.
func valueAt(object map[string]any, path ...string) any {
	var value any = object
	for _, key := range path {
		inner, _ := value.(map[string]any)
		value = inner[key]
	}
	return value
}
