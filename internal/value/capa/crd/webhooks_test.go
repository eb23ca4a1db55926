package crd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var o map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &o))
	return o
}

func TestWebhooksRefuseWhatTheSchemasAccept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ is, was, want string }{
		"a scheme that changes": {
			is:   "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {scheme: internal}}}",
			was:  "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {scheme: internet-facing}}}",
			want: `spec.controlPlaneLoadBalancer.scheme: Invalid value: "internal": field is immutable`,
		},
		"a VPC that changes": {
			is:   "{kind: AWSCluster, spec: {network: {vpc: {id: vpc-2}}}}",
			was:  "{kind: AWSCluster, spec: {network: {vpc: {id: vpc-1}}}}",
			want: `spec.network.vpc.id: Invalid value: "vpc-2": field is immutable`,
		},
		"a VPC that is set": {
			is:  "{kind: AWSCluster, spec: {network: {vpc: {id: vpc-2}}}}",
			was: "{kind: AWSCluster, spec: {}}",
		},
		"an identity that is removed": {
			is: "{kind: AWSCluster, spec: {}}", was: "{kind: AWSCluster, spec: {identityRef: {name: default}}}",
			want: "spec.identityRef",
		},
		"a load balancer's name": {
			is: "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {name: a-name-of-a-load-balancer-of-33-c}}}", want: "spec.controlPlaneLoadBalancer.name",
		},
		"a load balancer that is disabled": {
			is:   "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {loadBalancerType: disabled}}}",
			was:  "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {loadBalancerType: nlb}}}",
			want: "spec.controlPlaneLoadBalancer.loadBalancerType",
		},
		"a target group for IPv6 in a VPC without it": {
			is:   "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {loadBalancerType: nlb, targetGroupIPType: ipv6}}}",
			want: "spec.controlPlaneLoadBalancer.targetGroupIPType",
		},
		"a listener for IPv6 in a VPC without it": {
			is:   "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {loadBalancerType: nlb, additionalListeners: [{port: 8443, targetGroupIPType: ipv6}]}}}",
			want: "spec.controlPlaneLoadBalancer.additionalListeners[0].targetGroupIPType",
		},
		"a target group for IPv6": {
			is: "{kind: AWSCluster, spec: {network: {vpc: {ipv6: {cidrBlock: '2001:db8::/56'}}}, controlPlaneLoadBalancer: {loadBalancerType: nlb, targetGroupIPType: ipv6}}}",
		},
		"an address family of a classic load balancer": {
			is:   "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {loadBalancerType: classic, targetGroupIPType: ipv4}}}",
			want: "spec.controlPlaneLoadBalancer.targetGroupIPType",
		},
		"an IPv6 CIDR of a VPC": {
			is:   "{kind: AWSCluster, spec: {network: {vpc: {ipv6: {cidrBlock: '2001:db8::'}}}}}",
			want: "spec.network.vpc.ipv6.cidrBlock",
		},
		"an IPv6 CIDR of a subnet": {
			is: "{kind: AWSCluster, spec: {network: {subnets: [{id: subnet-1, ipv6CidrBlock: '2001:db8::/200'}]}}}", want: "spec.network.subnets[0].ipv6CidrBlock",
		},
		"a tag with a key that AWS reserves": {
			is:   "{kind: AWSCluster, spec: {additionalTags: {'aws:x': y}}}",
			want: "spec.additionalTags[aws:x]",
		},
		"another controller": {
			is:   "{kind: AWSClusterControllerIdentity, metadata: {name: other}}",
			want: "metadata.name",
		},
		"a role without source": {
			is:   "{kind: AWSClusterRoleIdentity, spec: {}}",
			want: "spec.sourceIdentityRef",
		},
		"a secret that changes": {
			is:  "{kind: AWSClusterStaticIdentity, spec: {secretRef: b}}",
			was: "{kind: AWSClusterStaticIdentity, spec: {secretRef: a}}", want: "spec.secretRef",
		},
		"a template that changes": {
			is:   "{kind: AWSMachineTemplate, spec: {template: {spec: {instanceType: b}}}}",
			was:  "{kind: AWSMachineTemplate, spec: {template: {spec: {instanceType: a}}}}",
			want: "spec.template.spec",
		},
		"a provider's ID": {
			is:   "{kind: AWSMachineTemplate, spec: {template: {spec: {providerID: a}}}}",
			want: "spec.template.spec.providerID",
		},
		"io2 without IOPS": {
			is:   "{kind: AWSMachineTemplate, spec: {template: {spec: {rootVolume: {type: io2}}}}}",
			want: "rootVolume.iops",
		},
		"throughput of gp2":             {is: "{kind: AWSMachineTemplate, spec: {template: {spec: {rootVolume: {throughput: 125}}}}}", want: "rootVolume.throughput"},
		"a name that is no valid label": {is: "{kind: Cluster, metadata: {name: -a}}", want: "metadata.name"},
		"even replicas":                 {is: "{kind: KubeadmControlPlane, spec: {replicas: 2.0}}", want: "spec.replicas"},
		"a version without v":           {is: "{kind: KubeadmControlPlane, spec: {version: 1.33.4}}", want: "spec.version"},
		"a minor version that is skipped": {
			is:   "{kind: KubeadmControlPlane, spec: {version: v1.34.0}}",
			was:  "{kind: KubeadmControlPlane, spec: {version: v1.32.8}}",
			want: "from v1.32.8 to v1.34.0",
		},
		"the next minor version": {
			is:  "{kind: KubeadmControlPlane, spec: {version: v1.33.0}}",
			was: "{kind: KubeadmControlPlane, spec: {version: v1.32.8}}",
		},
		"a deployment of another cluster": {
			is: "{kind: MachineDeployment, metadata: {name: a}, spec: {clusterName: a, selector: {matchLabels: {a: b}}, " +
				"template: {metadata: {labels: {a: b}}, spec: {clusterName: b}}}}",
			want: "spec.template.spec.clusterName",
		},
		"a health check of another cluster": {
			is:   "{kind: MachineHealthCheck, spec: {clusterName: a, selector: {matchLabels: {cluster.x-k8s.io/cluster-name: b}}}}",
			want: "spec.selector",
		},
		"a health check of no machines": {
			is:   "{kind: MachineHealthCheck, spec: {clusterName: a}}",
			want: "spec.selector: Required value",
		},
		"a time that no machine keeps":   {is: "{kind: MachineHealthCheck, spec: {selector: {matchLabels: {a: b}}, checks: {nodeStartupTimeoutSeconds: 20.0}}}", want: "nodeStartupTimeoutSeconds"},
		"a limit that is no percentage":  {is: "{kind: MachineHealthCheck, spec: {selector: {matchLabels: {a: b}}, remediation: {triggerIf: {unhealthyLessThanOrEqualTo: half}}}}", want: "unhealthyLessThanOrEqualTo"},
		"a second load balancer unnamed": {is: "{kind: AWSCluster, spec: {secondaryControlPlaneLoadBalancer: {scheme: internal}}}", want: "secondaryControlPlaneLoadBalancer.name"},
		"a second load balancer of the same scheme": {
			is:   "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {scheme: internal}, secondaryControlPlaneLoadBalancer: {name: b}}}",
			want: "secondaryControlPlaneLoadBalancer.scheme",
		},
		"a second load balancer of another type": {
			is: "{kind: AWSCluster, spec: {secondaryControlPlaneLoadBalancer: {name: b, loadBalancerType: alb}}}", want: "secondaryControlPlaneLoadBalancer.loadBalancerType",
		},
		"a second load balancer that is removed": {
			is:   "{kind: AWSCluster, spec: {}}",
			was:  "{kind: AWSCluster, spec: {secondaryControlPlaneLoadBalancer: {name: b}}}",
			want: "cannot be removed once set",
		},
		"a second load balancer that is checked in another way": {
			is:   "{kind: AWSCluster, spec: {secondaryControlPlaneLoadBalancer: {name: b, healthCheckProtocol: TCP}}}",
			was:  "{kind: AWSCluster, spec: {secondaryControlPlaneLoadBalancer: {name: b, healthCheckProtocol: HTTPS}}}",
			want: "secondaryControlPlaneLoadBalancer.healthCheckProtocol",
		},
		"an internal second load balancer that is added": {
			is:   "{kind: AWSCluster, spec: {secondaryControlPlaneLoadBalancer: {name: b, scheme: internal}}}",
			was:  "{kind: AWSCluster, spec: {}}",
			want: "secondaryControlPlaneLoadBalancer.scheme",
		},
		"an internet-facing second load balancer that is added": {
			is:  "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {scheme: internal}, secondaryControlPlaneLoadBalancer: {name: b, scheme: internet-facing}}}",
			was: "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {scheme: internal}}}",
		},
		"a second load balancer": {is: "{kind: AWSCluster, spec: {controlPlaneLoadBalancer: {name: a}, secondaryControlPlaneLoadBalancer: {name: b, loadBalancerType: nlb}}}"},
		"a selector that selects nothing": {
			is:   "{kind: MachineDeployment, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}}}",
			want: "must match spec.selector",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := crd.RefusedByWebhooks(object(t, c.is), object(t, c.was))
			if c.want == "" {
				require.Empty(t, errs)
				return
			}
			require.NotEmpty(t, errs)
			require.Contains(t, errs.ToAggregate().Error(), c.want)
		})
	}
}
