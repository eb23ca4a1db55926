package config

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// HostedCluster is the cluster itself, as objects in its management cluster.
type HostedCluster struct {
	// Kubeconfig is the kubeconfig of the management cluster; {} is the current context. Default: the objects are not
	// applied, and can only be rendered.
	Kubeconfig *Kubeconfig `yaml:"kubeconfig" pulumi:"kubeconfig,optional"`
	// PullSecret is the pull secret of the release, the content of a .dockerconfigjson file. Required unless
	// spec.pullSecret.name is a Secret that something else creates in the HostedCluster's namespace.
	PullSecret *SecretSource `yaml:"pullSecret" pulumi:"pullSecret,optional"`
	// SSHKey is an SSH public key for the user core on the nodes. Default none.
	SSHKey *SecretSource `yaml:"sshKey" pulumi:"sshKey,optional"`
	// EtcdKey is a key of 32 bytes, in base64, that encrypts Secrets in etcd. It is not used with a KMS key. Another
	// key replaces it in stages. Default: a key that is generated once and kept in the stack's state.
	EtcdKey *SecretSource `yaml:"etcdKey" pulumi:"etcdKey,optional"`

	// Objects are ConfigMaps and Secrets to create in the same namespace, which the HostedCluster or its NodePools refer
	// to by their names. They are created before the HostedCluster and deleted after it. Default none.
	Objects []ReferredObject `yaml:"objects" pulumi:"objects,optional"`

	hostedcluster.Settings `yaml:",inline"`

	// Unprotected means the same as cluster.unprotected. Default false.
	Unprotected bool `yaml:"unprotected" pulumi:"unprotected,optional"`

	// dir is the folder that the secrets' paths are relative to.
	dir string
}

var _ relative = (*HostedCluster)(nil)

func (h *HostedCluster) relativeTo(dir string) { h.dir = dir }

// HostedClusterPath is the config key of the objects.
const HostedClusterPath = ClusterKey + ".hostedCluster"

// NoExternalDNS is the externalDNSDomain for no domain, even if the management stack has a zone.
const NoExternalDNS = "none"

// ControlPlaneDomain returns the domain of the control plane's public names: externalDNSDomain or, without it, the one
// that the management stack offers; "" for none.
func (c *Cluster) ControlPlaneDomain(offered string) string {
	domain := offered
	if c.HostedCluster != nil && c.HostedCluster.ExternalDNSDomain != "" {
		domain = c.HostedCluster.ExternalDNSDomain
	}
	if domain == NoExternalDNS {
		return ""
	}
	return domain
}

// apiOf returns the API that judges the objects of a config when it is read: with a management cluster, that one's own
// API judges them later.
func apiOf(k *Kubeconfig) hostedcluster.API {
	if k != nil {
		return hostedcluster.UnreadAPI()
	}
	return hostedcluster.EmbeddedAPI()
}

// validateEmbedded implements judgedByServer.
func (c *Cluster) validateEmbedded(region string) error {
	var faults fault.Faults
	if c.HostedCluster != nil && c.HostedCluster.Kubeconfig != nil {
		faults = c.validateHostedCluster(region, hostedcluster.EmbeddedAPI())
	}
	return faults.Err()
}

// validateHostedCluster returns the faults in the config of the objects, which api judges. Placeholders represent AWS's
// values.
func (c *Cluster) validateHostedCluster(region string, api hostedcluster.API) fault.Faults {
	h := c.HostedCluster
	if h == nil {
		return nil
	}
	var faults fault.Faults
	faults.Join("kubeconfig", h.Kubeconfig.validate())
	switch existing := c.HostedClusterSettings(region).ExistingPullSecret(); {
	case h.PullSecret == nil && existing == "":
		faults.Add("pullSecret", nil, "is missing", "set the file or the environment variable that contains it")
	case h.PullSecret != nil && existing != "":
		faults.Add("pullSecret", nil, "conflicts with spec.pullSecret, which names the existing Secret "+existing,
			"set only one of the two")
	}
	faults.Join("pullSecret", h.PullSecret.validate())
	faults.Join("sshKey", h.SSHKey.validate())
	faults.Join("etcdKey", h.EtcdKey.validate())
	sources := h.sources()
	for _, value := range slices.Sorted(maps.Keys(sources)) {
		faults.Join(string(value), (*sources[value]).check(value))
	}
	if h.GenerateSSHKey && h.Kubeconfig == nil {
		faults.Add("generateSSHKey", nil, "requires kubeconfig: the key is generated with its Secret",
			"set kubeconfig, or use sshKey")
	}
	for i := range h.Objects {
		faults.Join(fmt.Sprintf("objects[%d]", i), h.Objects[i].validate(h.dir))
	}
	if h.EtcdKey != nil && c.hasKMSKey() {
		faults.Add("etcdKey", nil, "conflicts with kmsKeyARN, which encrypts etcd", "set only one of the two")
	}
	if h.AutoNode && !c.IAM.Karpenter {
		faults.Add("autoNode", nil, "needs a role for Karpenter", "set iam.karpenter")
	}
	if region == "" {
		region = placeholderRegion
	}
	settings := c.HostedClusterSettings(region)
	if c.Management != "" && settings.ExternalDNSDomain == "" {
		settings.ExternalDNSDomain = "management.invalid"
	}
	if settings.ExternalDNSDomain != "" {
		if err := hypershift.ValidateDomain(settings.ExternalDNSDomain); err != nil {
			faults.Join("externalDNSDomain", err)
			settings.ExternalDNSDomain = "management.invalid"
		}
	}
	key := c.KMSKeyARN
	if c.hasKMSKey() && input.IfPlain(key, validateKMSKey) != nil {
		key = pulumi.String(placeholderKey) // its own fault says more
	}
	site := c.Site(placeholderSite(c.poolZones(), c.machineCIDRs()), key)
	for _, f := range h.InObjects(fault.In(settings.ValidateFor(api, &site))) {
		own := *f
		if match := groupField.FindStringSubmatch(f.Path); match != nil {
			own.Path = "network.securityGroups" + match[1]
		} else if f.Path == "spec.platform.aws.cloudProviderConfig.zone" {
			own.Path = c.ZonesKey()
		}
		faults.Join("", &own)
	}
	return claim("hostedCluster", faults.Err())
}

// groupField matches the path of a security group of a NodePool.
var groupField = regexp.MustCompile(`^nodePools\[\d+\]\.spec\.platform\.aws\.securityGroups(\[\d+\])\.id$`)

// machineCIDRs returns the networks of the nodes in the config. Only AWS knows the networks of an existing VPC and of
// an IPAM pool. A network that is reserved for documentation, which no VPC has, represents them.
func (c *Cluster) machineCIDRs() []pulumi.StringInput {
	switch n := c.Network; {
	case n.Existing != nil, n.IPAM != nil && n.VPCCIDR == "":
		return input.Strings(hostedcluster.UnknownMachines)
	case n.SecondaryCIDR != "":
		return input.Strings(n.VPCCIDR, n.SecondaryCIDR)
	default:
		return input.Strings(n.VPCCIDR)
	}
}

// poolZones returns the config's zones or, if AWS determines them, the zones that the pools name.
func (c *Cluster) poolZones() []string {
	var names []string
	for _, zone := range append(c.Network.Existing.Zones(), c.Network.Zones...) {
		names = append(names, zone.Name)
	}
	if len(names) > 0 {
		return names
	}
	for _, pool := range c.HostedCluster.NodePools {
		if pool.Zone != "" {
			names = append(names, pool.Zone)
		}
	}
	if len(names) > 0 {
		return names
	}
	return []string{placeholderZone}
}

// HostedClusterSettings returns the component's settings, with the values of the cluster's other keys.
func (c *Cluster) HostedClusterSettings(region string) *hostedcluster.Settings {
	settings := c.HostedCluster.Settings
	settings.Cluster, settings.Region = c.Cluster, region
	settings.BaseDomain, settings.BaseDomainPrefix, settings.EndpointAccess = c.BaseDomain, c.BaseDomainPrefix,
		c.EndpointAccess
	settings.SigningKey, settings.APIAccess = c.OIDC.SigningKey != nil, c.APIAccess
	settings.SSHKey, settings.Referred = c.HostedCluster.SSHKey != nil, c.HostedCluster.referred()
	settings.TrustedCA, settings.NodePublicIPs = c.ProxyCA(), c.Network.PublicOnly
	settings.NoProxy = c.NoProxy()
	if settings.ExternalDNSDomain == NoExternalDNS {
		settings.ExternalDNSDomain = ""
	}
	if settings.APIServerRoute = c.apiServerRoute; !c.updated {
		settings.APIServerRoute = settings.CanRoutePrivately(nil)
	}
	return &settings
}

// AfterUpdate gives the section what an update of its stack decided for good, by the stack's outputs; nil before the
// first update.
func (c *Cluster) AfterUpdate(outputs map[string]any) {
	c.updated = outputs["kind"] == string(KindCluster)
	c.apiServerRoute = outputs["apiServerRoute"] == true
}

// Site returns the parts of a site that the config uses. kmsKeyARN is the key that encrypts etcd, not set or "none" for
// none.
func (c *Cluster) Site(site hostedcluster.SiteArgs, kmsKeyARN pulumi.StringInput) hostedcluster.SiteArgs {
	roles := map[iam.RoleName]pulumi.StringInput{}
	for name, arn := range site.Roles {
		roles[name] = arn
	}
	site.Roles, site.SecurityGroupIDs = roles, c.Network.SecurityGroups
	if !c.EndpointAccess.HasPublic() {
		site.PublicZoneID = nil
	}
	if !input.IsSet(kmsKeyARN) || input.Text(kmsKeyARN) == NoKMSKey {
		delete(roles, iam.RoleKMSProvider)
	} else {
		site.KMSKeyARN = kmsKeyARN
	}
	if !c.IAM.Karpenter {
		delete(roles, iam.RoleKarpenter)
	}
	if c.Network.Proxy == nil {
		site.ProxyAddress = nil
	}
	if c.Network.Proxy == nil || !input.IsSet(c.Network.Proxy.HTTPSAddress) {
		site.HTTPSProxyAddress = nil
	}
	if c.Network.Shared == nil && (c.Network.Existing == nil || c.Network.Existing.SharedVPC == nil) {
		site.SharedVPC = nil
	}
	return site
}

// placeholderSite returns a site with placeholders for everything except the zones and the nodes' networks.
func placeholderSite(zones []string, machineCIDRs []pulumi.StringInput) hostedcluster.SiteArgs {
	unknown := placeholder.ToStringOutput()
	site := hostedcluster.SiteArgs{
		VPCID: unknown, PublicZoneID: unknown, PrivateZoneID: unknown, IssuerURL: unknown, InstanceProfile: unknown,
		MachineCIDRs: machineCIDRs, Roles: map[iam.RoleName]pulumi.StringInput{},
		ProxyAddress: unknown, HTTPSProxyAddress: unknown,
		SharedVPC: &hostedcluster.SharedVPCArgs{IngressARN: unknown, ControlPlaneARN: unknown, LocalZoneID: unknown},
	}
	for _, name := range iam.RoleNames() {
		site.Roles[name] = unknown
	}
	for _, zone := range zones {
		site.Zones = append(site.Zones, hostedcluster.SiteZoneArgs{Name: zone, SubnetID: unknown})
	}
	return site
}

// sources maps each config key to the source of its secret.
func (h *HostedCluster) sources() map[hostedcluster.SecretValue]**SecretSource {
	return map[hostedcluster.SecretValue]**SecretSource{
		hostedcluster.PullSecret: &h.PullSecret, hostedcluster.SSHKey: &h.SSHKey, hostedcluster.EtcdKey: &h.EtcdKey,
	}
}

// Secrets reads the secrets from the sources in the config. It returns a fault for each that is missing or cannot be
// used.
func (h *HostedCluster) Secrets() (map[hostedcluster.SecretValue]string, error) {
	var faults fault.Faults
	secrets := map[hostedcluster.SecretValue]string{}
	sources := h.sources()
	for _, value := range slices.Sorted(maps.Keys(sources)) {
		source := *sources[value]
		if source == nil || source.given != nil {
			continue
		}
		text, err := source.read(h.dir)
		if err == nil {
			text, err = checkSecret(value, text)
		}
		faults.Join(string(value), err)
		secrets[value] = text
	}
	return secrets, faults.Err()
}

// Secrets reads the secrets that the file refers to, by their paths in it. A section that is no SecretSection has none.
func (f *File) Secrets() (map[string]string, error) {
	section := As[SecretSection](f)
	if section == nil {
		return nil, nil
	}
	return section.SecretTexts()
}

// SecretTexts implements SecretSection.
func (c *Cluster) SecretTexts() (map[string]string, error) {
	secrets := map[string]string{}
	if key, err := c.SigningKeyText(); err != nil {
		return nil, err
	} else if key != "" {
		secrets[signingKeyPath] = key
	}
	if c.HostedCluster == nil {
		return secrets, nil
	}
	found, err := c.HostedCluster.Secrets()
	if err != nil {
		return nil, err
	}
	objects, err := c.HostedCluster.objectTexts(HostedClusterPath)
	if err != nil {
		return nil, err
	}
	maps.Copy(secrets, objects)
	for value, text := range found {
		secrets[HostedClusterPath+"."+string(value)] = text
	}
	return secrets, nil
}

// SecretInputs returns the secrets as inputs of a component, including those that a program sets.
func (h *HostedCluster) SecretInputs() (map[hostedcluster.SecretValue]pulumi.StringInput, error) {
	texts, err := h.Secrets()
	if err != nil {
		return nil, err
	}
	inputs := map[hostedcluster.SecretValue]pulumi.StringInput{}
	for value, text := range texts {
		inputs[value] = pulumi.ToSecret(pulumi.String(text)).(pulumi.StringOutput)
	}
	for value, source := range h.sources() {
		if *source != nil && (*source).given != nil {
			inputs[value] = pulumi.ToSecret((*source).given.ToStringOutput().ApplyT(func(text string) (string, error) {
				return checkSecret(value, text)
			})).(pulumi.StringOutput)
		}
	}
	return inputs, nil
}

// checkSecret returns a fault, without the secret, for one that HyperShift could not use.
func checkSecret(value hostedcluster.SecretValue, text string) (string, error) {
	switch value {
	case hostedcluster.PullSecret:
		var pullSecret struct {
			Auths map[string]json.RawMessage `json:"auths"`
		}
		if json.Unmarshal([]byte(text), &pullSecret) != nil || pullSecret.Auths == nil {
			return "", &fault.Fault{Problem: "is not a pull secret", Remedy: `use JSON with "auths", as downloaded from console.redhat.com`}
		}
	case hostedcluster.EtcdKey:
		text = string(bytes.TrimSpace([]byte(text)))
		if key, err := base64.StdEncoding.DecodeString(text); err != nil || len(key) != hostedcluster.EtcdKeyBytes {
			return "", &fault.Fault{
				Problem: fmt.Sprintf("is not %d bytes in base 64", hostedcluster.EtcdKeyBytes),
				Remedy:  "generate one: openssl rand -base64 32",
			}
		}
	case hostedcluster.SigningKey:
		key, err := iam.ReadSigningKey(text)
		if err != nil {
			return "", err
		}
		text = iam.SigningKeyPEM(key)
	case hostedcluster.SSHKey:
	}
	return text, nil
}
