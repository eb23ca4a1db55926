package documents

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Manifests returns the objects of the cluster's config as files, for the AWS resources in HyperShift's two documents,
// which any tool may have created. domain is the management stack's domain, or "" without one. With withSecrets, they
// include the Secrets of the config, and etcdKey if the config has none. It returns fault.Faults of the config, and an
// error if the config has no hostedCluster.
func Manifests(
	f *config.File, infra Infra, iam IAM, domain string, withSecrets bool, etcdKey string,
) ([]hostedcluster.Manifest, error) {
	return manifests(f, infra, iam, domain, withSecrets, etcdKey, hostedcluster.EmbeddedAPI())
}

// Described returns the objects of Manifests without the Secrets, for a management cluster whose API judges them.
func Described(f *config.File, infra Infra, iam IAM, domain string) ([]hostedcluster.Manifest, error) {
	return manifests(f, infra, iam, domain, false, "", hostedcluster.UnreadAPI())
}

func manifests(
	f *config.File,
	infra Infra,
	iam IAM,
	domain string,
	withSecrets bool,
	etcdKey string,
	api hostedcluster.API,
) ([]hostedcluster.Manifest, error) {
	c := config.As[*config.Cluster](f)
	if c == nil || c.HostedCluster == nil {
		return nil, fmt.Errorf("%s describes no hosted cluster: use %s", f.Path, config.HostedClusterPath)
	}
	settings := c.HostedClusterSettings(infra.Region)
	// Names are the names of the AWS resources.
	settings.Cluster.Name, settings.Cluster.InfraID = infra.Name, infra.InfraID
	settings.BaseDomain, settings.BaseDomainPrefix = infra.BaseDomain, infra.BaseDomainPrefix
	settings.NodePublicIPs, settings.TrustedCA = infra.PublicOnly, pulumi.String(infra.ProxyCA)
	if c.HostedCluster.ExternalDNSDomain == "" {
		settings.ExternalDNSDomain = domain
	}
	account, _, hasAccount := strings.Cut(iam.Roles.ControlPlaneOperatorARN, ":role/")
	if hasAccount {
		settings.AllowPrincipals(c.EndpointPrincipals(account + ":root"))
	}
	var faults fault.Faults
	var secrets map[hostedcluster.SecretValue]string
	if withSecrets {
		var err error
		if secrets, err = c.HostedCluster.Secrets(); err != nil {
			faults.Join(config.HostedClusterPath, err)
			return nil, f.Placed(faults.Err())
		}
		if err = c.HostedCluster.SetSecrets(settings); err != nil {
			faults.Join(config.HostedClusterPath, err)
			return nil, f.Placed(faults.Err())
		}
		key, err := c.SigningKeyText()
		if err != nil {
			return nil, f.Placed(err)
		}
		if key != "" {
			secrets[hostedcluster.SigningKey] = key
		}
		if _, given := secrets[hostedcluster.EtcdKey]; !given {
			secrets[hostedcluster.EtcdKey] = etcdKey
		}
	}
	site := siteOf(infra, iam)
	site.SecurityGroupIDs = input.Texts(c.Network.SecurityGroups)
	if second := c.Network.SecondaryCIDR; second != "" { // which the documents cannot contain
		site.MachineCIDRs = append(site.MachineCIDRs, second)
	}
	if hasAccount {
		site.InterruptionQueueURL = c.InterruptionQueueURL(infra.Region, account[strings.LastIndex(account, ":")+1:])
	}
	made, err := settings.ManifestsFor(api, site, secrets)
	if found := fault.In(err); found != nil {
		faults.Join(config.HostedClusterPath, c.HostedCluster.InObjects(found).Err())
		return nil, f.Placed(faults.Err())
	}
	return made, err
}

// EtcdKey returns the key of the config that encrypts etcd, "" without one. It returns fault.Faults of the config.
func EtcdKey(f *config.File) (string, error) {
	c := config.As[*config.Cluster](f)
	if c == nil || c.HostedCluster == nil {
		return "", nil // which Manifests refuses
	}
	secrets, err := c.HostedCluster.Secrets()
	if err != nil {
		var faults fault.Faults
		faults.Join(config.HostedClusterPath, err)
		return "", f.Placed(faults.Err())
	}
	return secrets[hostedcluster.EtcdKey], nil
}

// EtcdKeyFile returns the name of the file with the Secret of the key that encrypts etcd.
func (infra Infra) EtcdKeyFile() string {
	return "10-secret-" + recorded.EtcdKey(infra.Name) + ".yaml"
}

// siteOf returns the site that HyperShift's documents describe.
func siteOf(infra Infra, iam IAM) *hostedcluster.Site {
	site := &hostedcluster.Site{
		VPCID: infra.VPCID, MachineCIDRs: []string{infra.MachineCIDR}, PublicZoneID: infra.PublicZoneID,
		PrivateZoneID: infra.PrivateZoneID,
		IssuerURL:     iam.IssuerURL, InstanceProfile: iam.ProfileName, Roles: iam.RoleARNs(), KMSKeyARN: iam.KMSKeyARN,
		ProxyAddress: infra.ProxyAddr, HTTPSProxyAddress: infra.SecureProxyAddr,
	}
	for _, zone := range infra.Zones {
		site.Zones = append(site.Zones, hostedcluster.SiteZone(zone))
	}
	if iam.SharedIngressRoleARN != "" && iam.SharedControlPlaneRoleARN != "" {
		site.SharedVPC = &hostedcluster.SharedVPC{
			IngressARN: iam.SharedIngressRoleARN, ControlPlaneARN: iam.SharedControlPlaneRoleARN, LocalZoneID: infra.LocalZoneID,
		}
	}
	return site
}

// Read reads HyperShift's two documents from a stack's outputs, or from the files of its CLI.
func Read(infra, iam any) (Infra, IAM, error) {
	var readInfra Infra
	var readIAM IAM
	for _, document := range []struct {
		name       string
		from, into any
	}{{"infra", infra, &readInfra}, {"iam", iam, &readIAM}} {
		text, isText := document.from.([]byte)
		if !isText {
			var err error
			if text, err = json.Marshal(document.from); err != nil {
				return readInfra, readIAM, fmt.Errorf("reading the %s document: %w", document.name, err)
			}
		}
		if err := json.Unmarshal(text, document.into); err != nil {
			return readInfra, readIAM, fmt.Errorf("reading the %s document: %w", document.name, err)
		}
	}
	if readInfra.InfraID != readIAM.InfraID {
		return readInfra, readIAM, &fault.Fault{
			Path: "infraID", Value: readIAM.InfraID,
			Problem: "is the infra ID of the IAM document, but that of the infra document is " + readInfra.InfraID,
			Remedy:  "use two documents of the same cluster",
		}
	}
	return readInfra, readIAM, nil
}

// CAPAManifests returns the objects of a stack of kind capa as files. site is the stack's output of that name. It
// returns fault.Faults of the config.
func CAPAManifests(f *config.File, site any) ([]hostedcluster.Manifest, error) {
	c := config.As[*config.CAPA](f)
	if c == nil {
		return nil, fmt.Errorf("%s describes no cluster of Cluster API: use %s", f.Path, config.CAPAKey)
	}
	return c.RenderManifests(f, map[string]any{"site": site})
}

// NodePoolManifests returns the objects of a stack of kind nodePools as files, for the HostedCluster in the stack's
// outputs. It returns fault.Faults of the config.
func NodePoolManifests(f *config.File, outputs map[string]any) ([]hostedcluster.Manifest, error) {
	return config.As[*config.NodePools](f).RenderManifests(f, outputs)
}
