// Package egress judges, before nodes exist, what the network of a hosted cluster lets them reach: the hosts that nodes
// of its release need, one by one, by the routes, network ACLs, security groups and endpoints of each node subnet, and
// by the proxy. It sends no request.
package egress

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// host is what nodes connect to, and why.
type host struct {
	connectivity.Host
	// purpose is what nodes have there: "images of OpenShift".
	purpose string
	// required is true if nodes don't join the cluster, or OpenShift doesn't become available, without it.
	required bool
	// mirrorable is true for registries of OpenShift's images, which mirrors can replace.
	mirrorable bool
	// controlPlane is true for the hosts of the cluster's own control plane.
	controlPlane bool
}

// needs is what determines the hosts.
type needs struct {
	// cluster is the hosted cluster's config; HostedCluster is nil if the stack does not describe it.
	cluster *config.Cluster
	// releases are its release images, with their mirrors.
	releases config.Releases
	region   string
	// domain is the domain of the names that external-dns writes, "" if it is not known.
	domain string
}

const https = 443

// hosts returns what nodes connect to. The hosts of Red Hat are those that OpenShift documents for firewalls, without
// those that only the installer, or operators in the control plane, contact: on AWS machine images are AMIs, and
// HyperShift runs the cluster version operator, the cloud controllers, the EBS driver's controller and the operators of
// the ingress and the image registry in the management cluster. Sources: OpenShift, "Configuring your firewall"
// (modules/configuring-firewall.adoc); the egress list of hosted control planes in openshift/osd-network-verifier,
// pkg/data/egress_lists/aws-hcp.yaml; HyperShift, docs/content/how-to/common/hcp-networking-requirements.md, "Worker
// Node Egress Requirements".
func (n needs) hosts() []host {
	return slices.Concat(n.controlPlane(), n.images(), n.services(), n.optional())
}

func named(name, purpose string, required bool) host {
	return host{Host: connectivity.Host{Name: name, Port: https}, purpose: purpose, required: required}
}

// controlPlane returns the control plane's own hosts. Source: HyperShift, "Service publishing strategies" and
// control-plane-operator/controllers/hostedcontrolplane/infra.
func (n needs) controlPlane() []host {
	own := func(name string, port int, purpose string, required bool) host {
		return host{
			Host: connectivity.Host{Name: name, Port: port}, purpose: purpose, required: required, controlPlane: true,
		}
	}
	paths := n.cluster.ClusterPaths(nil)
	if paths.Private {
		apps := "*.apps." + paths.LocalZone
		api := https
		if paths.APIServerLoadBalancer || paths.Port != https {
			api = apiServerPort()
		}
		return []host{
			own("api."+paths.LocalZone, api, "the API server", true),
			own(apps, https, "ignition and konnectivity", true), own(apps, https, "OAuth", false),
		}
	}
	published := n.published()
	return []host{
		published.host(own, "api", "the API server", true), published.host(own, "ignition", "ignition", true),
		published.host(own, "konnectivity", "konnectivity", true), published.host(own, "oauth", "OAuth", false),
	}
}

// apiServerPort returns the port of an API server behind a load balancer of its own.
func apiServerPort() int { return privatelink.KubeAPIServerPrivate.Port() }

// publishing are the public names of the control plane's services, "" for those that are known later.
type publishing map[string]string

// published returns the names in the HostedCluster's spec.services or, without it, in the domain of external-dns.
func (n needs) published() publishing {
	var spec map[string]any
	if n.cluster.HostedCluster != nil {
		spec = n.cluster.HostedCluster.Spec
	}
	return hostedcluster.PublishedNames(n.cluster.Name, n.domain, spec)
}

func (p publishing) host(
	own func(string, int, string, bool) host, service, purpose string, required bool,
) host {
	port := https
	if service == "api" && p[service] == "" {
		port = apiServerPort()
	}
	return own(cmp.Or(p[service], "HyperShift's host for "+service), port, purpose, required)
}

// payload are the repositories of OpenShift's releases and of their images. Source: openshift/installer, "Mirroring
// images for a disconnected installation".
func payload() []string {
	return []string{"quay.io/openshift-release-dev/ocp-release", "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}
}

// images returns the registries that nodes pull OpenShift's images from: those of the release images and of mirrors. A
// registry whose repositories all have mirrors is one that nodes can do without.
func (n needs) images() []host {
	var list []host
	add := func(h host) {
		i := slices.IndexFunc(list, func(known host) bool { return known.Name == h.Name && known.Port == h.Port })
		if i < 0 {
			list = append(list, h)
			return
		}
		list[i].required = list[i].required || h.required
	}
	for _, image := range n.releases.Images {
		repository := repositoryOf(image)
		for _, h := range n.registry(repository, "the release image", !n.mirrored(repository)) {
			h.mirrorable = true
			add(h)
		}
	}
	quay := !slices.ContainsFunc(n.releases.Images, func(image string) bool {
		return !strings.HasPrefix(image, "quay.io/")
	})
	if slices.ContainsFunc(payload(), func(repository string) bool { return !n.mirrored(repository) }) {
		for _, h := range n.quay(quay) {
			h.mirrorable = true
			add(h)
		}
	} else {
		add(named("quay.io", "images of OpenShift, which have mirrors", false))
	}
	var sources []string
	for source := range n.releases.Mirrors {
		sources = append(sources, source)
	}
	slices.Sort(sources)
	for _, source := range sources {
		for _, mirror := range n.releases.Mirrors[source] {
			for _, h := range n.registry(repositoryOf(mirror), "mirror of "+source, true) {
				add(h)
			}
		}
	}
	return list
}

// quay returns quay.io with its content delivery network. In us-east-1 it also redirects to a bucket of the region.
// Source: OpenShift, "Configuring your firewall": a firewall must allow the names that quay.io redirects to.
func (n needs) quay(required bool) []host {
	list := []host{named("quay.io", "images of OpenShift", required)}
	for _, name := range []string{"cdn.quay.io", "cdn01.quay.io", "cdn02.quay.io", "cdn03.quay.io", "cdn04.quay.io",
		"cdn05.quay.io", "cdn06.quay.io"} {
		list = append(list, named(name, "images of OpenShift", required))
	}
	bucket := named("quayio-production-s3.s3.amazonaws.com", "images of OpenShift", required)
	if n.region == "us-east-1" {
		bucket.Service = "s3"
		bucket.Requests = []policy.Request{{Action: "s3:GetObject", Resource: "arn:aws:s3:::quayio-production-s3/*"}}
	}
	return append(list, bucket)
}

// mirrored reports whether a repository has mirrors: it is a mirrored source, or below one.
func (n needs) mirrored(repository string) bool {
	for source, mirrors := range n.releases.Mirrors {
		if len(mirrors) > 0 && (source == repository || strings.HasPrefix(repository, source+"/")) {
			return true
		}
	}
	return false
}

// repositoryOf returns a pull spec without tag and digest.
func repositoryOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") && strings.Contains(image, "/") {
		image = image[:i]
	}
	return image
}

// registry returns a repository's registry. One of ECR in the region also needs ECR's API, for credentials, and S3, for
// the layers. Source: the guide of Amazon ECR, "Amazon ECR interface VPC endpoints".
func (n needs) registry(repository, purpose string, required bool) []host {
	server, _, _ := strings.Cut(repository, "/")
	h := named(server, purpose, required)
	if name, port, err := net.SplitHostPort(server); err == nil {
		h.Name = name
		if number, err := strconv.Atoi(port); err == nil {
			h.Port = number
		}
	}
	h.Address, _ = netip.ParseAddr(h.Name) // invalid for names
	if !strings.HasSuffix(h.Name, ".dkr.ecr."+n.region+"."+n.suffix()) {
		return []host{h}
	}
	h.Service = "ecr.dkr"
	h.Requests = calls(h.Service)
	api := n.service("ecr.api", "api.ecr."+n.region+"."+n.suffix(), "credentials of "+h.Name, required,
		calls("ecr.api"))
	bucket := "prod-" + n.region + "-starport-layer-bucket"
	layers := n.service("s3", bucket+".s3."+n.region+"."+n.suffix(), "layers of "+h.Name, required, []policy.Request{{
		Action: "s3:GetObject", Resource: "arn:" + hypershift.Partition(n.region) + ":s3:::" + bucket + "/*"}})
	return []host{h, api, layers}
}

// calls returns the requests that nodes send to a service, without the resources that they are about.
func calls(service string) []policy.Request {
	var requests []policy.Request
	for _, action := range awstype.EndpointCalls(service) {
		requests = append(requests, policy.Request{Action: action})
	}
	return requests
}

func (n needs) suffix() string { return hypershift.DNSSuffix(hypershift.Partition(n.region)) }

func (n needs) service(service, name, purpose string, required bool, requests []policy.Request) host {
	return host{Host: connectivity.Host{Name: name, Port: https, Service: service, Requests: requests}, purpose: purpose,
		required: required}
}

// services returns AWS's APIs that pods on nodes call by their region: the image registry assumes its role, and has its
// images in a bucket. Others are called from the management cluster: see network.RequiredNodeServices.
func (n needs) services() []host {
	regional := func(service, purpose string, requests []policy.Request) host {
		required := service == "s3" || slices.Contains(network.RequiredNodeServices(), service)
		return n.service(service, service+"."+n.region+"."+n.suffix(), purpose, required, requests)
	}
	objects := "arn:" + hypershift.Partition(n.region) + ":s3:::" + n.cluster.InfraID + "-image-registry-" + n.region +
		"-*"
	registry := n.cluster.HostedCluster == nil || n.cluster.HostedCluster.Capabilities == nil ||
		!slices.Contains(n.cluster.HostedCluster.Capabilities.Disabled, "ImageRegistry")
	list := []host{regional("sts", "credentials of pods", calls("sts"))}
	if registry {
		requests := calls("s3")
		for i := range requests {
			requests[i].Resource = objects + "/*"
			if requests[i].Action == "s3:ListBucket" {
				requests[i].Resource = objects
			}
		}
		list = append(list, regional("s3", "the cluster's image registry", requests))
	}
	return append(list,
		regional("ec2", "operators that users install, such as that of AWS load balancers",
			calls("ec2")),
		regional("elasticloadbalancing", "operators that users install, such as that of AWS load balancers",
			calls("elasticloadbalancing")))
}

// optional returns the hosts without which OpenShift is available, and lacks a service of Red Hat.
func (n needs) optional() []host {
	var list []host
	add := func(name, purpose string) {
		if !n.mirrored(name) {
			list = append(list, named(name, purpose, false))
		}
	}
	add("registry.redhat.io", "images of Red Hat's operators")
	add("registry.access.redhat.com", "images of Red Hat")
	for _, of := range []struct{ name, purpose string }{
		{"api.access.redhat.com", "telemetry"}, {"api.openshift.com", "available updates"},
		{"cert-api.access.redhat.com", "telemetry"}, {"console.redhat.com", "Insights"},
		{"infogw.api.openshift.com", "telemetry"}, {"sso.redhat.com", "logins at Red Hat's registries"},
	} {
		add(of.name, of.purpose)
	}
	return list
}
