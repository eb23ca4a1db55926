package hostedcluster

import (
	"fmt"

	"github.com/blang/semver"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// EndpointTags returns the tags that HyperShift's operator searches the cluster's endpoint by, and that it sets on its
// resources: spec.platform.aws.resourceTags of the HostedCluster, including the owner's tag. Source: apiTagToEC2Filter
// in control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go.
func (s *Settings) EndpointTags() (map[string]string, error) {
	spec, err := s.operatorSpec()
	if err != nil {
		return nil, err
	}
	tags := map[string]string{}
	for _, tag := range spec.Platform.AWS.ResourceTags {
		tags[tag.Key] = tag.Value
	}
	return tags, nil
}

// APIServerByRoute reports whether the API server is published as a Route, behind the private router. Otherwise it has
// its own load balancer, endpoint service and endpoint, to which the record "api" of the local zone points.
// Source: recordsForService in the same file.
func (s *Settings) APIServerByRoute() (bool, error) {
	spec, err := s.operatorSpec()
	if err != nil {
		return false, err
	}
	for _, service := range spec.Services {
		if service.Service == hyperv1.APIServer {
			return service.Type == hyperv1.Route, nil
		}
	}
	return false, nil
}

// RoutesPrivately returns the first release whose control plane operator publishes the API server of a Private cluster
// behind the private router without a host name. The operator is part of the release: HyperShift's commit 30d61dfa07 of
// 2026-08-04 is in 5.0, whose branch was made on 2026-08-12.
// https://github.com/openshift/hypershift/commit/30d61dfa07c0a5ac9b4e8c8d2b1f073392690703
func RoutesPrivately() semver.Version { return semver.MustParse("5.0.0") }

// CanRoutePrivately reports whether APIServerRoute can be true for a new cluster: by its access, its domain, and
// its release, whose version live may know.
func (s *Settings) CanRoutePrivately(live *Live) bool {
	version, known := live.version(s.Release)
	return s.EndpointAccess.OrDefault() == hypershift.Private && s.ExternalDNSDomain == "" && known &&
		version.GE(RoutesPrivately())
}

// APIServerHost returns the host name of the API server's Route, "" without one.
func (s *Settings) APIServerHost() (string, error) {
	spec, err := s.operatorSpec()
	if err != nil {
		return "", err
	}
	for _, service := range spec.Services {
		if service.Service == hyperv1.APIServer && service.Route != nil {
			return service.Route.Hostname, nil
		}
	}
	return "", nil
}

// operatorSpec is the part of a HostedCluster's spec that determines the operators' PrivateLink resources.
type operatorSpec struct {
	Services []hyperv1.ServicePublishingStrategyMapping `json:"services"`
	Platform struct {
		AWS struct {
			ResourceTags []hyperv1.AWSResourceTag `json:"resourceTags"`
		} `json:"aws"`
	} `json:"platform"`
}

// operatorSpec returns the settings' operatorSpec, with Spec merged into it.
func (s *Settings) operatorSpec() (*operatorSpec, error) {
	cluster := &hyperv1.HostedCluster{}
	cluster.Spec.InfraID, cluster.Spec.Services = s.Cluster.InfraID, s.services()
	cluster.Spec.Platform.AWS = &hyperv1.AWSPlatformSpec{ResourceTags: s.tags()}
	object, err := untyped(cluster)
	if err != nil {
		return nil, err
	}
	if err := merge(object, s.Spec); err != nil {
		return nil, err
	}
	addOwnerTag(object)
	var decoded struct {
		Spec operatorSpec `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &decoded); err != nil {
		return nil, fmt.Errorf("reading services and platform.aws.resourceTags of the HostedCluster's spec: %w", err)
	}
	return &decoded.Spec, nil
}
