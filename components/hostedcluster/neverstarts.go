package hostedcluster

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

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
