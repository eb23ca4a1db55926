package offline

import "slices"

// knownTypes are the resource types, functions and quotas of the offline account.
func knownTypes() catalogue {
	return newCatalogue(slices.Concat(
		vpcKinds(), subnetKinds(), secondaryKinds(), gatewayKinds(), routeKinds(), endpointKinds(), endpointServiceKinds(),
		securityGroupKinds(), flowLogKinds(), instanceKinds(), loadBalancerKinds(), shareKinds(),
		zoneKinds(), zoneAssociationKinds(),
		roleKinds(), policyKinds(), oidcKinds(), serviceLinkedRoleKinds(), userKinds(),
		bucketKinds(), bucketSettingKinds(), distributionKinds(), keyKinds(), queueKinds(), eventKinds(),
	), slices.Concat(
		identityFunctions(), networkFunctions(), loadBalancerFunctions(), zoneFunctions(), iamFunctions(), keyFunctions(), bucketFunctions(),
	), quotas())
}
