package capa

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Object is one of a cluster's Kubernetes objects.
type Object struct {
	// Part identifies the object among the cluster's objects: "cluster", "aws-cluster", "control-plane" and so on.
	Part string
	// Object is the API object, without a status.
	Object map[string]any
	// Template is true for a template, whose name ends in a hash of its content: Cluster API rolls out a change of a
	// template only if the reference to it changes.
	Template bool
	// own is the spec that the user writes.
	own own
}

// The parts that consist of one object.
const (
	PartIdentity             = "identity"
	PartAWSCluster           = "aws-cluster"
	PartControlPlaneTemplate = "control-plane-template"
	PartControlPlane         = "control-plane"
	PartCluster              = "cluster"
)

// healthPart ends the part of a pool's MachineHealthCheck.
const healthPart = "-health"

// Objects returns the cluster's objects for a site: everything that the Cluster refers to, the machine deployments, and
// the Cluster last. The error lists every fault in args, including violations of the objects' schemas.
func (args *Args) Objects(site *Site) ([]Object, error) {
	if err := args.Validate(); err != nil {
		return nil, err
	}
	b := &objectBuilder{args: args.WithDefaults(), site: site}
	objects := b.objects()
	var faults fault.Faults
	faults = append(faults, b.faults...)
	if len(faults) == 0 { // otherwise the objects lack what the faults are about
		for _, o := range objects {
			faults = append(faults, o.refused()...)
		}
	}
	return objects, faults.Err()
}

// objectBuilder builds the objects of one cluster.
type objectBuilder struct {
	args   *Args
	site   *Site
	faults fault.Faults
}

func (b *objectBuilder) objects() []Object {
	var objects []Object
	if identity := b.args.Identity.object(b.args.Namespace); identity != nil {
		objects = append(objects, Object{Part: PartIdentity, Object: identity})
	}
	c := b.args.ControlPlane
	machine := b.machineTemplate(&templateOf{
		pool: "control-plane", part: PartControlPlaneTemplate, key: "controlPlane", profile: b.site.ControlPlaneProfile,
		instanceType: c.InstanceType, root: c.RootVolume, volumes: c.Volumes, spec: c.Spec.Machine,
	})
	objects = append(objects, b.merged(PartAWSCluster, b.awsCluster(), own{"spec.awsCluster", b.args.Spec.AWSCluster}),
		machine,
		b.merged(PartControlPlane, b.controlPlane(nameOf(machine)),
			own{"controlPlane.spec.controlPlane", c.Spec.ControlPlane}))
	if c.HealthCheck != nil {
		objects = append(objects, b.merged(PartControlPlane+healthPart,
			b.machineHealthCheck("control-plane", c.HealthCheck, b.controlPlaneMachines()),
			own{"controlPlane.spec.healthCheck", c.Spec.HealthCheck}))
	}
	for i, pool := range b.args.Workers {
		key := fmt.Sprintf("workers[%d]", i)
		machine := b.machineTemplate(&templateOf{
			pool: pool.Name, part: pool.Name + "-template", key: key, profile: b.site.NodesProfile,
			instanceType: pool.InstanceType, root: pool.RootVolume, volumes: pool.Volumes, placement: pool.placement(),
			spec: pool.Spec.Machine,
		})
		config := b.kubeadmConfigTemplate(&pool, own{key + ".spec.kubeadm", pool.Spec.Kubeadm})
		objects = append(objects, machine, config)
		var deployments []any
		for _, given := range b.args.zonesOf(pool) {
			zone, ok := b.site.zone(given)
			if !ok {
				b.faults.Add(fmt.Sprintf("workers[%d].zones", i), given, "has no subnet in the network",
					"use a zone of the network")
				continue
			}
			deployment := b.merged(pool.Name+"-"+zone.Name, b.machineDeployment(&pool, zone.Name, nameOf(machine), nameOf(config)),
				own{key + ".spec.deployment", pool.Spec.Deployment})
			objects, deployments = append(objects, deployment), append(deployments, nameOf(deployment))
		}
		if pool.HealthCheck != nil {
			objects = append(objects, b.merged(pool.Name+healthPart,
				b.machineHealthCheck(pool.Name, pool.HealthCheck, b.machinesOf(deployments)),
				own{key + ".spec.healthCheck", pool.Spec.HealthCheck}))
		}
	}
	return append(objects, b.merged(PartCluster, b.cluster(), own{"spec.cluster", b.args.Spec.Cluster}))
}

// merged returns an object with what the user writes for its spec.
func (b *objectBuilder) merged(part string, object map[string]any, from own) Object {
	kind, _ := object["kind"].(string)
	spec, _ := object["spec"].(map[string]any)
	b.merge(kind, spec, from)
	return Object{Part: part, Object: object, own: from}
}

func nameOf(o Object) string { return o.unstructured().GetName() }

func (o Object) unstructured() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: o.Object}
}

// object returns an object of the cluster's namespace.
func (b *objectBuilder) object(apiVersion, kind, name string, spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": b.args.Namespace}, "spec": spec,
	}
}

// ref refers to another object of the cluster's namespace, as v1beta2 does.
func ref(apiVersion, kind, name string) map[string]any {
	group, _, _ := strings.Cut(apiVersion, "/")
	return map[string]any{"apiGroup": group, "kind": kind, "name": name}
}

// cluster returns the Cluster. By its labels, CAPA's ClusterResourceSets install the external cloud controller manager
// and the EBS CSI driver.
func (b *objectBuilder) cluster() map[string]any {
	o := b.object(crd.CoreVersion, "Cluster", b.args.Name, map[string]any{
		"clusterNetwork": map[string]any{
			"pods":     map[string]any{"cidrBlocks": families(b.args.Pods, b.args.PodsIPv6)},
			"services": map[string]any{"cidrBlocks": families(b.args.Services, b.args.ServicesIPv6)},
		},
		"controlPlaneRef":   ref(crd.ControlPlaneVersion, "KubeadmControlPlane", b.controlPlaneName()),
		"infrastructureRef": ref(crd.InfrastructureVersion, "AWSCluster", b.args.Name),
	})
	(&unstructured.Unstructured{Object: o}).SetLabels(map[string]string{"ccm": "external", "csi": "external"})
	return o
}

// families returns the CIDRs of one or both address families. The first has the nodes' and Services' primary addresses.
func families(ipv4, ipv6 string) []any {
	if ipv6 == "" {
		return []any{ipv4}
	}
	return []any{ipv4, ipv6}
}

func (b *objectBuilder) controlPlaneName() string { return b.args.Name + "-control-plane" }

// awsCluster returns the AWSCluster for a VPC that CAPA does not manage. It omits controlPlaneEndpoint, which CAPA sets
// once, and secondaryCidrBlocks and bastion, which CAPA would create in a VPC that is not its own.
func (b *objectBuilder) awsCluster() map[string]any {
	vpc := map[string]any{"id": b.site.VPCID}
	network := map[string]any{"vpc": vpc, "subnets": b.subnets()}
	balancer := map[string]any{
		"loadBalancerType": "nlb", "scheme": string(b.args.APIAccess.Scheme), "healthCheckProtocol": "HTTPS",
		"name": b.args.LoadBalancerName(),
	}
	if b.args.Network.IPv6 {
		// CAPA replaces ipv6 with what AWS reports. That has no egress-only internet gateway, which CAPA uses only in VPCs
		// that it created.
		vpc["ipv6"] = map[string]any{"cidrBlock": b.site.VPCIPv6CIDR}
		balancer["targetGroupIPType"] = "ipv4" // CAPA's default with IPv6 is ipv6, and IPv4 is the primary family
	}
	if len(b.site.SecurityGroups) > 0 {
		overrides := map[string]any{}
		for role, id := range b.site.SecurityGroups {
			overrides[string(role)] = id
		}
		network["securityGroupOverrides"] = overrides
	} else {
		network["cni"] = map[string]any{"cniIngressRules": b.cniRules()}
		if b.args.APIAccess.restricted() {
			balancer["ingressRules"] = []any{b.apiRule()}
		}
	}
	spec := map[string]any{
		"region": b.site.Region, "partition": hypershift.Partition(b.site.Region),
		"sshKeyName":  input.Text(b.args.SSHKeyName),
		"identityRef": map[string]any{"kind": string(b.args.Identity.Kind), "name": b.args.Identity.Name},
		"network":     network, "controlPlaneLoadBalancer": balancer,
	}
	if b.args.APIAccess.Secondary {
		second := maps.Clone(balancer)
		second["name"], second["scheme"] = b.args.secondaryLoadBalancerName(), string(b.args.APIAccess.Scheme.other())
		spec["secondaryControlPlaneLoadBalancer"] = second
	}
	if len(b.args.Tags) > 0 {
		tags := map[string]any{}
		for key, value := range b.args.Tags {
			tags[key] = value
		}
		spec["additionalTags"] = tags
	}
	return b.object(crd.InfrastructureVersion, "AWSCluster", b.args.Name, spec)
}

// apiRule returns the rule by which CAPA opens the API server's load balancer. CAPA adds the addresses of NAT gateways,
// but not the machines' IPv6 addresses.
func (b *objectBuilder) apiRule() map[string]any {
	sources := map[string][]string{}
	for _, cidr := range b.args.APIAccess.networks() {
		field := "cidrBlocks"
		if isIPv6(cidr) {
			field = "ipv6CidrBlocks"
		}
		sources[field] = append(sources[field], cidr)
	}
	if b.args.Network.IPv6 {
		sources["ipv6CidrBlocks"] = append(sources["ipv6CidrBlocks"], b.site.VPCIPv6CIDR)
	}
	rule := map[string]any{
		"description": "Kubernetes API",
		"protocol":    "tcp",
		"fromPort":    int64(APIPort),
		"toPort":      int64(APIPort),
	}
	for field, cidrs := range sources {
		rule[field] = texts(cidrs)
	}
	return rule
}

// subnets lists the subnets by zone. CAPA determines which are public, and uses the private ones as failure domains.
func (b *objectBuilder) subnets() []any {
	var subnets []any
	for _, zone := range b.site.Zones {
		for _, id := range []string{zone.PublicSubnetID, zone.PrivateSubnetID} {
			if id != "" {
				subnets = append(subnets, map[string]any{"id": id})
			}
		}
	}
	return subnets
}

func (b *objectBuilder) cniRules() []any {
	var rules []any
	for _, rule := range b.args.CNI.Rules {
		from, to := int64(rule.FromPort), int64(rule.lastPort())
		if rule.FromPort == 0 { // all of a protocol without ports, as CAPA writes it
			from, to = -1, 65535
		}
		rules = append(rules, map[string]any{
			"description": rule.Description,
			"protocol":    rule.Protocol,
			"fromPort":    from,
			"toPort":      to,
		})
	}
	return rules
}

// controlPlane returns the KubeadmControlPlane.
func (b *objectBuilder) controlPlane(template string) map[string]any {
	cluster := map[string]any{"controllerManager": map[string]any{"extraArgs": externalCloudProvider()}}
	if len(b.args.CertSANs) > 0 {
		cluster["apiServer"] = map[string]any{"certSANs": texts(input.Texts(b.args.CertSANs))}
	}
	custom := b.args.ControlPlane.Kubeadm
	config := map[string]any{
		"clusterConfiguration": cluster,
		"initConfiguration":    map[string]any{"nodeRegistration": nodeRegistration(custom.kubeletArgs(nil))},
		"joinConfiguration":    map[string]any{"nodeRegistration": nodeRegistration(custom.kubeletArgs(nil))},
	}
	custom.addTo(config)
	return b.object(crd.ControlPlaneVersion, "KubeadmControlPlane", b.controlPlaneName(), map[string]any{
		"replicas": int64(b.args.ControlPlane.Replicas),
		"version":  b.args.KubernetesVersion,
		"machineTemplate": map[string]any{"spec": map[string]any{
			"infrastructureRef": ref(crd.InfrastructureVersion, "AWSMachineTemplate", template),
		}},
		"kubeadmConfigSpec": config,
	})
}

// nodeRegistration sets the node's name that the cloud controller manager expects: EC2's private DNS name.
func nodeRegistration(kubelet []any) map[string]any {
	return map[string]any{"name": "{{ ds.meta_data.local_hostname }}", "kubeletExtraArgs": kubelet}
}

func externalCloudProvider() []any {
	return []any{map[string]any{"name": "cloud-provider", "value": "external"}}
}

// templateOf describes the machines of one AWSMachineTemplate. key is the key of Args that they come from.
type templateOf struct {
	pool, part, key, profile, instanceType string
	root                                   *RootVolume
	volumes                                []Volume
	placement, spec                        map[string]any
}

// machineTemplate returns the AWSMachineTemplate of a pool. The key pair is always set, because CAPA's default is one
// called default; so is publicIP, whose default depends on the subnet.
func (b *objectBuilder) machineTemplate(m *templateOf) Object {
	image, ok := b.site.Images[m.instanceType]
	if !ok {
		b.faults.Add(m.key+".instanceType", m.instanceType, "has no image", "set image.id")
	}
	spec := map[string]any{
		"instanceType": m.instanceType, "iamInstanceProfile": m.profile, "ami": map[string]any{"id": image},
		"sshKeyName": input.Text(b.args.SSHKeyName), "publicIP": b.args.Topology == Public,
		// A hop limit of 2 allows pods to reach the metadata service, as CAPA's book recommends with tokens.
		"instanceMetadataOptions": map[string]any{"httpTokens": "required", "httpPutResponseHopLimit": int64(2)},
	}
	if b.args.Network.IPv6 {
		spec["assignPrimaryIPv6"] = "disabled" // only targets by IPv6 need it; the subnet assigns an address
	}
	if m.root != nil {
		spec["rootVolume"] = m.root.object()
	}
	addList(spec, "nonRootVolumes", m.volumes, func(v Volume) any {
		o := v.object()
		o["deviceName"] = v.Device
		return o
	})
	maps.Copy(spec, m.placement)
	return b.template(Object{
		Part: m.part,
		own:  own{m.key + ".spec.machine", m.spec},
	}, crd.InfrastructureVersion, "AWSMachineTemplate", m.pool, spec)
}

func (v *RootVolume) object() map[string]any {
	o := map[string]any{"size": int64(v.Size)}
	if v.Type != "" {
		o["type"] = v.Type
	}
	if v.IOPS != 0 {
		o["iops"] = int64(v.IOPS)
	}
	if v.Throughput != 0 {
		o["throughput"] = int64(v.Throughput)
	}
	if v.Encrypted != nil {
		o["encrypted"] = *v.Encrypted
	}
	if key := input.Text(v.EncryptionKey); key != "" {
		o["encryptionKey"] = key
	}
	return o
}

func (b *objectBuilder) kubeadmConfigTemplate(pool *WorkersArgs, from own) Object {
	node := nodeRegistration(pool.Kubeadm.kubeletArgs(pool.labels(false)))
	if taints := pool.taints(); taints != nil {
		node["taints"] = taints
	}
	spec := map[string]any{"joinConfiguration": map[string]any{"nodeRegistration": node}}
	pool.Kubeadm.addTo(spec)
	return b.template(Object{
		Part: pool.Name + "-config",
		own:  from,
	}, crd.BootstrapVersion, "KubeadmConfigTemplate", pool.Name, spec)
}

// template completes a template, whose name contains a hash of its content.
func (b *objectBuilder) template(o Object, apiVersion, kind, pool string, spec map[string]any) Object {
	b.merge(kind, spec, o.own)
	o.Template = true
	o.Object = b.object(apiVersion, kind, b.args.Name+"-"+pool+"-"+contentHash(spec), map[string]any{
		"template": map[string]any{"spec": spec},
	})
	return o
}

// contentHash returns eight characters that depend only on a spec.
func contentHash(spec any) string {
	text, _ := json.Marshal(spec) // maps of strings and numbers always marshal, with sorted keys
	sum := sha256.Sum256(text)
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:8]
}

// machineDeployment returns a pool's machines in one zone.
func (b *objectBuilder) machineDeployment(pool *WorkersArgs, zone, machine, config string) map[string]any {
	name := b.args.Name + "-" + pool.Name + "-" + zone
	labels := func() map[string]any {
		return map[string]any{clusterNameLabel: b.args.Name, deploymentNameLabel: name}
	}
	nodes := labels()
	for key, value := range pool.labels(true) {
		nodes[key] = value
	}
	o := b.object(crd.CoreVersion, "MachineDeployment", name, map[string]any{
		"clusterName": b.args.Name,
		"selector":    map[string]any{"matchLabels": labels()},
		"template": map[string]any{
			"metadata": map[string]any{"labels": nodes},
			"spec": map[string]any{
				"clusterName": b.args.Name, "version": b.args.KubernetesVersion, "failureDomain": zone,
				"bootstrap":         map[string]any{"configRef": ref(crd.BootstrapVersion, "KubeadmConfigTemplate", config)},
				"infrastructureRef": ref(crd.InfrastructureVersion, "AWSMachineTemplate", machine),
			},
		},
	})
	pool.scale(o)
	return o
}

func texts(list []string) []any {
	values := make([]any, len(list))
	for i, text := range list {
		values[i] = text
	}
	return values
}

// Manifest is an object in a file.
type Manifest struct {
	// File is the file's name; the objects can be applied in the order of these names.
	File string
	// Object is the API object, without a status.
	Object map[string]any
}

// Manifests returns the cluster's objects as files, the namespace first and the Cluster last. It fails as Objects does.
func (args *Args) Manifests(site *Site) ([]Manifest, error) {
	objects, err := args.Objects(site)
	if err != nil {
		return nil, err
	}
	namespace := cmp.Or(args.Namespace, DefaultNamespace)
	manifests := []Manifest{{"00-namespace.yaml", map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace},
	}}}
	for _, o := range objects {
		order := 30
		switch {
		case o.Part == PartIdentity:
			order = 10
		case o.Part == PartAWSCluster || o.Template:
			order = 20
		case o.Part == PartCluster:
			order = 40
		}
		manifests = append(manifests, Manifest{fmt.Sprintf("%d-%s.yaml", order, o.Part), o.Object})
	}
	slices.SortStableFunc(manifests, func(a, b Manifest) int { return strings.Compare(a.File, b.File) })
	return manifests, nil
}
