package hostedcluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Objects are the API objects of a hosted cluster, to be applied or rendered.
type Objects struct {
	// HostedCluster is the HostedCluster object.
	HostedCluster map[string]any
	// NodePools are the NodePool objects, in the order of the settings.
	NodePools []map[string]any
	// Secrets are the Secrets that the cluster refers to, without content.
	Secrets []Secret
}

// objectBuilder builds the objects of the settings for a site.
type objectBuilder struct {
	*Settings
	site *Site
	api  API
}

// Objects builds the objects for a site. The error lists every fault in the settings, as fault.Faults. If HyperShift's
// API would refuse a value, the fault has the API's message and the path of the setting, or of the object's field if
// there is no setting.
func (s *Settings) Objects(site *Site) (*Objects, error) { return s.objectsFor(site, EmbeddedAPI()) }

// objectsFor is Objects for the API server that judges the objects.
func (s *Settings) objectsFor(site *Site, api API) (*Objects, error) {
	o := objectBuilder{s, site, api}
	var faults fault.Faults
	faults.Join("", o.validateOwn())
	if len(faults) > 0 {
		return nil, faults
	}
	cluster, err := o.hostedCluster()
	if err != nil {
		return nil, err
	}
	objects := &Objects{HostedCluster: cluster, Secrets: s.Secrets(site)}
	refused := append(fault.In(api.Validate(cluster)), neverStarts(cluster)...)
	if site.SharedVPC != nil {
		refused = withoutOwners(refused)
	}
	faults = append(faults, inSettings(refused, s.Spec, s.fields())...)
	faults.Join("", o.addNodePools(objects))
	if len(faults) > 0 {
		return nil, faults
	}
	return objects, nil
}

// addNodePools adds the objects of the pools. The error lists every fault in them, and in what they or the
// HostedCluster refer to.
func (o objectBuilder) addNodePools(objects *Objects) error {
	var faults fault.Faults
	for i, pool := range o.pools() {
		object, err := o.nodePool(pool)
		if err != nil {
			faults.Join(fmt.Sprintf("nodePools[%d]", i), err)
			continue
		}
		refused := append(fault.In(o.api.Validate(object)), neverNodes(object, objects.HostedCluster)...)
		faults.Join(fmt.Sprintf("nodePools[%d]", i), pool.ofPool(refused).Err())
		objects.NodePools = append(objects.NodePools, object)
	}
	faults.Join("", o.validateReferred(objects))
	return faults.Err()
}

// validateOwn returns the faults that HyperShift's API does not find.
func (o objectBuilder) validateOwn() error {
	var faults fault.Faults
	faults.Join("", o.Cluster.Validate())
	faults.Join("", o.validateNames())
	if o.Release == "" {
		faults.Add("release", nil, "is missing", "set the pull spec of a release image")
	} else {
		faults.Join("release", validatePullSpec(o.Release))
	}
	if image, given := within(o.Spec, "controlPlaneRelease")["image"].(string); given {
		faults.Join("spec.controlPlaneRelease.image", validatePullSpec(image))
	}
	faults.Join("controllerAvailability", o.ControllerAvailability.Validate())
	faults.Join("infrastructureAvailability", o.InfrastructureAvailability.Validate())
	faults.Join("", o.validateTags())
	faults.Join("", o.validateAPIAccess())
	if o.SSHKey && o.GenerateSSHKey {
		faults.Add("generateSSHKey", nil, "conflicts with sshKey", "set only one of the two")
	}
	if o.NodesPausedSince != "" && (o.AutoNode || within(o.Spec, "autoNode") != nil) {
		faults.Add("nodesPausedSince", o.NodesPausedSince,
			"conflicts with autoNode: Karpenter creates nodes for the pods of those that go",
			"leave nodesPausedSince out; to have no nodes, set the limits of Karpenter's NodePools in the cluster to 0")
	}
	if o.AutoNode && o.site.Roles[iam.RoleKarpenter] == "" {
		faults.Add("autoNode", nil, "needs a role for Karpenter", "set iam.karpenter, or use an existing role")
	}
	for path, cidrs := range map[string][]string{"clusterCIDRs": o.ClusterCIDRs, "serviceCIDRs": o.ServiceCIDRs} {
		faults.Join(path, validateCIDRs(cidrs))
	}
	if len(faults) == 0 {
		faults.Join("", o.validateOverlaps())
		faults.Join("", o.validateMachineNetwork())
		faults.Join("", o.validatePodNetworks())
	}
	faults.Join("etcdStorageSize", validateQuantity(o.EtcdStorageSize))
	faults.Join("", o.validatePools())
	return faults.Err()
}

// The longest label of a domain name, which the names of namespaces are too, and the longest domain name.
const (
	maxLabel  = 63
	maxDomain = 253
)

// validateNames returns the faults of names that are valid on their own, and too long as HyperShift composes them.
func (o objectBuilder) validateNames() error {
	var faults fault.Faults
	namespace := crd.ControlPlaneNamespace(o.NamespaceOrDefault(), o.Cluster.Name)
	if extra := len(namespace) - maxLabel; extra > 0 {
		faults.Add("namespace", o.NamespaceOrDefault(),
			fmt.Sprintf("makes the control plane's namespace %s, of %d characters, and Kubernetes allows %d", namespace, len(namespace), maxLabel),
			fmt.Sprintf("use a cluster's name of at most %d characters, or a shorter namespace", len(o.Cluster.Name)-extra))
	}
	for _, service := range o.services() {
		if service.Route == nil || service.Route.Hostname == "" {
			continue
		}
		name := service.Route.Hostname
		label, _, _ := strings.Cut(name, ".")
		if extra := max(len(label)-maxLabel, len(name)-maxDomain); extra > 0 {
			faults.Add("externalDNSDomain", o.ExternalDNSDomain,
				fmt.Sprintf("makes the name %s, and DNS allows %d characters, %d in its first label", name, maxDomain, maxLabel),
				fmt.Sprintf("use a cluster's name of at most %d characters, or set the hostname in spec.services", len(o.Cluster.Name)-extra))
			break
		}
	}
	return faults.Err()
}

// validatePools returns the faults of the node pools that HyperShift's API does not find.
func (o objectBuilder) validatePools() error {
	var faults fault.Faults
	faults.Join("nodesPausedSince", validateTime(o.NodesPausedSince))
	seen := map[string]int{}
	for i, pool := range o.pools() {
		path := fmt.Sprintf("nodePools[%d]", i)
		faults.Join(path, pool.validate(o.site))
		if first, twice := seen[pool.Name]; twice {
			faults.Add(path+".name", pool.Name, fmt.Sprintf("is already the name of nodePools[%d]", first),
				"use a different name for each pool")
		}
		seen[pool.Name] = i
	}
	return faults.Err()
}

// Validate returns every fault in the settings that can be found before the site exists, with placeholders for its
// values.
func (s *Settings) Validate(site *SiteArgs) error { return s.ValidateFor(EmbeddedAPI(), site) }

// ValidateFor is Validate for the API server that judges the objects.
func (s *Settings) ValidateFor(api API, site *SiteArgs) error {
	_, err := s.objectsWith(input.Placeholders{}, site, api)
	faults := reserved(s.Annotations)
	var found fault.Faults
	if err != nil && !errors.As(err, &found) {
		return err
	}
	faults.Join("", found.Err())
	return faults.Err()
}

// reserved returns the faults of annotations by which this program tells whose an object is.
func reserved(annotations map[string]string) (faults fault.Faults) {
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if strings.HasPrefix(key, reservedPrefix) {
			faults.Add("annotations["+key+"]", annotations[key], "is an annotation that hypershift-aws sets itself",
				"leave it out")
		}
	}
	return faults
}

// objectsWith returns the objects with placeholders for the outputs in the settings and in the site.
func (s *Settings) objectsWith(in input.Placeholders, args *SiteArgs, api API) (*Objects, error) {
	settings, site := &Settings{}, &Site{}
	in.Fill(settings, s)
	in.Fill(site, args)
	return settings.objectsFor(site, api)
}

func validateQuantity(text string) error {
	if text == "" {
		return nil
	}
	if size, err := resource.ParseQuantity(text); err != nil || size.Sign() <= 0 {
		return &fault.Fault{Value: text, Problem: "is not a positive quantity", Remedy: "use one such as 8Gi"}
	}
	return nil
}
