package hostedcluster

import (
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// services returns the publishing strategies of the control plane's services. With external DNS, each service that is
// reached over the internet has a hostname; the others use their PrivateLink names.
func (s *Settings) services() []hyperv1.ServicePublishingStrategyMapping {
	named := s.ExternalDNSDomain != ""
	nodesOverInternet := s.EndpointAccess.OrDefault() == hypershift.Public
	var services []hyperv1.ServicePublishingStrategyMapping
	for _, service := range []struct {
		service hyperv1.ServiceType
		label   string
		named   bool
	}{
		{hyperv1.APIServer, "api", named},
		{hyperv1.Ignition, "ignition", named && nodesOverInternet},
		{hyperv1.Konnectivity, "konnectivity", named && nodesOverInternet},
		{hyperv1.OAuthServer, "oauth", named},
	} {
		strategy := hyperv1.ServicePublishingStrategy{Type: hyperv1.Route}
		if service.service == hyperv1.APIServer && !named && !s.APIServerRoute {
			strategy.Type = hyperv1.LoadBalancer
		}
		if service.named {
			strategy.Route = &hyperv1.RoutePublishingStrategy{
				Hostname: externalName(service.label, s.Cluster.Name, s.ExternalDNSDomain),
			}
		}
		services = append(services, hyperv1.ServicePublishingStrategyMapping{
			Service: service.service, ServicePublishingStrategy: strategy,
		})
	}
	return services
}

func externalName(label, cluster, domain string) string { return label + "-" + cluster + "." + domain }

// ExternalNames returns the names that the services of a cluster's control plane may have in an external DNS domain.
func ExternalNames(cluster, domain string) []string {
	var names []string
	for _, label := range []string{"api", "ignition", "konnectivity", "oauth"} {
		names = append(names, externalName(label, cluster, domain))
	}
	return names
}

// RoutesAPIServer reports whether the services of a HostedCluster, as JSON, publish its API server as a Route.
func RoutesAPIServer(hostedCluster map[string]any) bool {
	services, _ := within(hostedCluster, "spec")["services"].([]any)
	return slices.ContainsFunc(services, func(service any) bool {
		return textAt(service, "service") == string(hyperv1.APIServer) &&
			textAt(service, "servicePublishingStrategy", "type") == string(hyperv1.Route)
	})
}

// Inherited returns what a HostedCluster took from its management stack, or from the config: the ARN of the KMS key for
// etcd, the domain of the names of its services, and its issuer; "" for each value that it does not have. Its infra ID
// is the end of the issuer's URL.
func Inherited(hostedCluster map[string]any) (kmsKeyARN, domain, issuerURL, infraID string) {
	spec, _ := hostedCluster["spec"].(map[string]any)
	services, _ := spec["services"].([]any)
	for _, service := range services {
		for _, strategy := range []string{"route", "loadBalancer"} {
			name := textAt(service, "servicePublishingStrategy", strategy, "hostname")
			for _, own := range ExternalNames(textAt(hostedCluster, "metadata", "name"), "") {
				if suffix, is := strings.CutPrefix(name, own); is {
					domain = suffix
				}
			}
		}
	}
	return textAt(spec, "secretEncryption", "kms", "aws", "activeKey",
		"arn"), domain, textAt(spec, "issuerURL"), textAt(spec, "infraID")
}
