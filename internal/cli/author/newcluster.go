package author

import (
	"cmp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// clusterKind is a hosted cluster.
func clusterKind() newKind {
	return newKind{
		name: config.KindCluster, flags: clusterFlags, questions: clusterQuestions, file: newValues.clusterFile,
		check: checkCluster, next: clusterNext,
	}
}

func clusterFlags(f *kindFlags) {
	f.name()
	f.infraID()
	f.domain()
	f.network()
	f.issuer()
	f.networkStack()
	f.text(&f.values.iamStack, "iam-stack", "the `stack` of kind iam with the cluster's issuer and roles")
	f.text(&f.values.management, "management",
		"the `stack` of kind management whose bucket, key and zone the cluster uses")
	f.text(&f.values.release, "release",
		"the `image` of the hosted cluster's release, whose pull secret is in pull-secret.json")
	f.externalDNSDomain()
	f.text(&f.values.infraJSON, "infra-json",
		"the `file` that `hypershift create infra aws` wrote: its VPC is used as existing")
	f.text(&f.values.iamJSON, "iam-json",
		"the `file` that `hypershift create iam aws` wrote: its roles are used as existing")
	f.list(&f.values.publicSubnets, "public-subnets",
		"with --infra-json: the public `subnets` in the order of its zones, unless the mode is Private")
	f.tags()
	f.exclude("oidc-issuer", "oidc-bucket", "oidc-region")
	f.exclude("infra-json", "zones", "vpc-cidr", "nat")
	f.exclude("network-stack", "zones", "vpc-cidr", "nat", "infra-json")
	f.exclude("iam-stack", "oidc-bucket", "oidc-region", "oidc-issuer", "iam-json")
	f.exclude("management", "oidc-bucket", "oidc-region", "oidc-issuer", "iam-json", "kms-key")
}

func checkCluster(v newValues) error {
	switch {
	case v.externalDNSDomain != "" && v.release == "":
		return invocation.Refuse("--external-dns-domain is for the hosted cluster: set --release too, or leave it out")
	case v.iamStack != "" && v.networkStack == "":
		return invocation.Refuse("--iam-stack needs --network-stack: name the stack with the cluster's network")
	}
	return nil
}

func clusterQuestions(a asked) []question {
	infraID := a.forInfraID()
	infraID.skip = a.networkStack == ""
	return []question{
		a.forName("hosted cluster"), a.forRegion(), infraID, a.forZones(), a.forBaseDomain(),
		a.forBucket("--oidc-bucket (or --oidc-issuer, or --management)", "oidc.bucketName"), {
			value:  &a.release,
			prompt: "release image of the hosted cluster, such as quay.io/openshift-release-dev/ocp-release:4.20.1-multi; none to describe it later",
			answer: "none", path: a.key("hostedCluster.release"), optional: true,
		}, {
			value:  &a.externalDNSDomain,
			prompt: "domain of the control plane's public names, without which the cluster can never be moved to another management cluster",
			answer: "none", path: a.key("hostedCluster.externalDNSDomain"), skip: a.management != "", optional: true,
			after: &a.release,
		},
	}
}

func clusterNext(v newValues) string {
	const secret = "the pull secret of the release as pull-secret.json beside the file; then run "
	if v.release == "" {
		return "to let the stack create the cluster too, complete hostedCluster in the file, and save " + secret
	}
	return "save " + secret
}

func (v newValues) clusterFile() string {
	f := v.head(config.KindCluster)
	f.line("  hypershift-aws:cluster:")
	v.identity(f)
	v.domain(f)
	f.comment("    ", "The stack of kind management that provides the issuer's bucket, the key of etcd and the zone of the public names.")
	f.key("    ", "management", v.management, "management")
	f.comment("    ", "Tags for every resource.")
	f.tags("    ", v.tags)
	switch {
	case v.networkStack != "":
		f.comment("    ", "The stack with the cluster's network and hosted zones. Its file has the same name, infraID, domain and endpointAccess.")
		f.key("    ", "networkStack", v.networkStack, "")
	case v.documents != nil:
		f.line("    network:")
		f.comment("      ", "The existing VPC is checked, and never changed.")
		f.section("      ", v.documents.network(hypershift.EndpointAccess(v.endpointAccess)))
	default:
		f.line("    network:")
		v.network(f)
	}
	if v.iamStack != "" {
		f.comment("    ", "The stack with the cluster's issuer, roles and instance profile.")
		f.key("    ", "iamStack", v.iamStack, "")
	} else if v.management == "" {
		v.issuer(f)
	}
	if v.documents != nil {
		f.comment("    ", "The existing roles and instance profile are checked, and never changed.")
		f.line("    iam:")
		f.section("      ", v.documents.roles())
	}
	if v.management == "" {
		v.etcdKey(f)
	}
	v.hostedCluster(f)
	return f.String()
}

// hostedCluster writes the section of the HostedCluster, as a comment without a release.
func (v newValues) hostedCluster(f *yamlText) {
	f.comment("    ", "The hosted cluster. Without this section the stack has only what the cluster needs in AWS.")
	if v.release == "" {
		f.comment("    ", "Remove the # of these lines to create it, and see docs/config.md for the other keys.")
	}
	section := &yamlText{}
	section.line("    hostedCluster:")
	section.comment("      ", "The management cluster: {} is the current context of the kubeconfig; or {file: ~/.kube/management, context: admin}.")
	section.line("      kubeconfig: {}")
	section.comment("      ", "The pull spec of the release image of control plane and nodes.")
	section.line("      release: " + scalar(cmp.Or(v.release, "quay.io/openshift-release-dev/ocp-release:4.20.1-multi")))
	section.comment("      ", "The file of the pull secret of the release, beside this one.")
	section.line("      pullSecret: pull-secret.json")
	section.comment("      ", "The domain of the control plane's public DNS names. It cannot be set later, and without it, or the zone of a management stack,")
	section.comment("      ", "the cluster can never be moved to another management cluster.")
	section.key("      ", "externalDNSDomain", v.externalDNSDomain, "hcp.example.com")
	section.comment("      ", "Default: one pool per zone, with 2 nodes each.")
	section.line("      # nodePools: [{zone: " + cmp.Or(strings.Join(v.zones[:min(1, len(v.zones))], ""),
		v.region+"a") + ", replicas: 2, instanceType: m5.large}]")
	if v.release != "" {
		f.WriteString(section.String())
		return
	}
	for line := range strings.Lines(section.String()) {
		f.WriteString("    # " + strings.TrimPrefix(line, "    "))
	}
}
