package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// EndpointTags returns the tags by which HyperShift's operator searches for the cluster's endpoint, and which it sets on its resources:
// spec.platform.aws.resourceTags of the HostedCluster, including the owner's tag.
// Source: apiTagToEC2Filter in control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go.
func (s *Settings) EndpointTags() (map[string]string, error) {
	spec, err := s.operatorSpec()
	if err != nil {
		return nil, err
	}
	platform, _ := spec["platform"].(map[string]any)
	aws, _ := platform["aws"].(map[string]any)
	list, _ := aws["resourceTags"].([]any)
	tags := map[string]string{}
	for _, item := range list {
		tag, _ := item.(map[string]any)
		key, _ := tag["key"].(string)
		if value, ok := tag["value"].(string); ok && key != "" {
			tags[key] = value
		}
	}
	return tags, nil
}

// APIServerByRoute reports whether the API server is published as a Route, behind the private router. Otherwise it has its own load
// balancer, endpoint service and endpoint, to which the record "api" of the local zone points.
// Source: recordsForService in the same file.
func (s *Settings) APIServerByRoute() (bool, error) {
	spec, err := s.operatorSpec()
	if err != nil {
		return false, err
	}
	services, _ := spec["services"].([]any)
	for _, item := range services {
		service, _ := item.(map[string]any)
		strategy, _ := service["servicePublishingStrategy"].(map[string]any)
		if service["service"] == string(hyperv1.APIServer) {
			return strategy["type"] == string(hyperv1.Route), nil
		}
	}
	return false, nil
}

// operatorSpec returns the part of the HostedCluster's spec that determines the operators' PrivateLink resources, with Spec merged into it.
func (s *Settings) operatorSpec() (map[string]any, error) {
	cluster := &hyperv1.HostedCluster{}
	cluster.Spec.InfraID, cluster.Spec.Services = s.Cluster.InfraID, s.services()
	cluster.Spec.Platform.AWS = &hyperv1.AWSPlatformSpec{ResourceTags: s.tags()}
	object, err := untyped(cluster)
	if err != nil {
		return nil, err
	}
	patch(object, s.Spec)
	s.addOwnerTag(object)
	spec, _ := object["spec"].(map[string]any)
	return spec, nil
}
