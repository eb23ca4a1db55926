package stacks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// hostedClusterPath is the config key of the objects.
const hostedClusterPath = clusterKey + ".hostedCluster"

// makeHostedCluster applies the objects where the config leads to a management cluster.
func (e *estate) makeHostedCluster(ctx *pulumi.Context) error {
	h := e.config.HostedCluster
	if h == nil || h.Kubeconfig == nil {
		return nil
	}
	secrets, err := h.secrets()
	if err != nil {
		var faults fault.Faults
		faults.Join(hostedClusterPath, err)
		return placed(faults.Err(), FileName(ctx.Stack()), nil)
	}
	cluster, err := h.Kubeconfig.provider(ctx)
	if err != nil {
		return err
	}
	args := &hostedcluster.Args{
		Settings: *e.settings(), Site: e.config.siteArgs(e.siteValues()),
		Secrets: map[hostedcluster.SecretValue]pulumi.StringInput{}, Unprotected: h.Unprotected,
	}
	for value, text := range secrets {
		args.Secrets[value] = pulumi.ToSecret(pulumi.String(text)).(pulumi.StringOutput)
	}
	args.StandsOn, args.Egress = e.grounds.standsOn(), e.grounds.egress()
	e.hostedCluster, err = hostedcluster.NewHostedCluster(ctx, "hosted-cluster", args, pulumi.Provider(cluster))
	return err
}

// settings are the config's, with what the management stack gives.
func (e *estate) settings() *hostedcluster.Settings {
	settings := e.config.hostedClusterSettings(e.region)
	if e.config.HostedCluster.ExternalDNSDomain == "" {
		settings.ExternalDNSDomain = e.management.ZoneDomain
	}
	return settings
}

// provider is that of the management cluster.
func (c *KubeconfigConfig) provider(ctx *pulumi.Context) (*kubernetes.Provider, error) {
	args := &kubernetes.ProviderArgs{
		// Objects keep their names, and are changed rather than made anew under the operators that read them.
		EnableConfigMapMutable: pulumi.Bool(true),
		EnableSecretMutable:    pulumi.Bool(true),
	}
	if c.File != "" {
		args.Kubeconfig = pulumi.String(c.File)
	}
	if c.Context != "" {
		args.Context = pulumi.String(c.Context)
	}
	provider, err := kubernetes.NewProvider(ctx, "management-cluster", args)
	if err != nil {
		return nil, fmt.Errorf("registering the provider of the management cluster: %w", err)
	}
	return provider, nil
}

// secrets are those that the config gives. It returns a fault for each that is not there.
func (h *HostedClusterConfig) secrets() (map[hostedcluster.SecretValue]string, error) {
	var faults fault.Faults
	secrets := map[hostedcluster.SecretValue]string{}
	for _, s := range []struct {
		path   string
		value  hostedcluster.SecretValue
		source *SecretSourceConfig
	}{
		{"pullSecret", hostedcluster.PullSecret, h.PullSecret},
		{"sshKey", hostedcluster.SSHKey, h.SSHKey},
		{"etcdKey", hostedcluster.EtcdKey, h.EtcdKey},
	} {
		if s.source == nil {
			continue
		}
		text, err := s.source.read(h.dir)
		if err == nil {
			text, err = checkSecret(s.value, text)
		}
		faults.Join(s.path, err)
		secrets[s.value] = text
	}
	return secrets, faults.Err()
}

// checkSecret returns a fault for a secret that HyperShift could not use, and does not show it.
func checkSecret(value hostedcluster.SecretValue, text string) (string, error) {
	switch value {
	case hostedcluster.PullSecret:
		var pullSecret struct {
			Auths map[string]json.RawMessage `json:"auths"`
		}
		if json.Unmarshal([]byte(text), &pullSecret) != nil || pullSecret.Auths == nil {
			return "", &fault.Fault{Problem: "is not a pull secret", Remedy: `give JSON with "auths", as console.redhat.com has it`}
		}
	case hostedcluster.EtcdKey:
		text = string(bytes.TrimSpace([]byte(text)))
		if key, err := base64.StdEncoding.DecodeString(text); err != nil || len(key) != hostedcluster.EtcdKeyBytes {
			return "", &fault.Fault{
				Problem: fmt.Sprintf("is not %d bytes in base 64", hostedcluster.EtcdKeyBytes), Remedy: "make one: openssl rand -base64 32",
			}
		}
	case hostedcluster.SSHKey:
	}
	return text, nil
}

// fromJSON reads an object as Kubernetes does: whole numbers stay whole.
func fromJSON(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil, err
	}
	return withNumbers(values).(map[string]any), nil
}

func withNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = withNumbers(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = withNumbers(inner)
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		fraction, _ := v.Float64()
		return fraction
	}
	return value
}
