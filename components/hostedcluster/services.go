package hostedcluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
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

// PublishedNames returns the names of a control plane's services by the labels "api", "ignition", "konnectivity" and
// "oauth": those in the spec.services of a HostedCluster, otherwise those in an external DNS domain, "" for none. It
// has "" for a service in spec without a name, and no name without a domain.
func PublishedNames(cluster, domain string, spec map[string]any) map[string]string {
	labels := []string{"api", "ignition", "konnectivity", "oauth"}
	names := map[string]string{}
	if domain != "" {
		for i, name := range ExternalNames(cluster, domain) {
			names[labels[i]] = name
		}
	}
	services, _ := spec["services"].([]any)
	for _, service := range services {
		one, _ := service.(map[string]any)
		kinds := []hyperv1.ServiceType{hyperv1.APIServer, hyperv1.Ignition, hyperv1.Konnectivity, hyperv1.OAuthServer}
		i := slices.Index(kinds, hyperv1.ServiceType(textAt(one, "service")))
		if i < 0 {
			continue
		}
		names[labels[i]] = ""
		for _, kind := range []string{"route", "loadBalancer"} {
			if name := textAt(one, "servicePublishingStrategy", kind, "hostname"); name != "" {
				names[labels[i]] = name
			}
		}
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

// neverStarts returns the faults of a HostedCluster's object that HyperShift's API accepts, and with which the operator
// sets its condition ValidConfiguration to False. Their paths are those of the object.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go
func neverStarts(cluster map[string]any) fault.Faults {
	var faults fault.Faults
	services, _, _ := unstructured.NestedSlice(cluster, "spec", "services")
	published := map[string]string{}
	for i, each := range services {
		service, _ := each.(map[string]any)
		name := textAt(service, "servicePublishingStrategy", "route", "hostname")
		if name == "" {
			name = textAt(service, "servicePublishingStrategy", "loadBalancer", "hostname")
		}
		if first, twice := published[name]; twice && name != "" {
			faults.Add(fmt.Sprintf("spec.services[%d]", i), name,
				"is the host name of "+first+" too, and HyperShift publishes one service by a name",
				"use a host name for each service")
		}
		published[name] = textAt(service, "service")
	}
	ports := textAt(cluster, "spec", "configuration", "network", "serviceNodePortRange")
	if first, last, ok := strings.Cut(ports, "-"); ok {
		lowest, err := strconv.Atoi(first)
		highest, err2 := strconv.Atoi(last)
		if err == nil && err2 == nil && lowest > highest {
			faults.Add("spec.configuration.network.serviceNodePortRange", ports, "begins with its last port",
				"use one such as 30000-32767")
		}
	}
	return faults
}
