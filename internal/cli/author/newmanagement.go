package author

import (
	"cmp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// managementFile returns the file of a stack of kind management: what a management account needs before HyperShift's operator is installed.
func (v newValues) managementFile() string {
	f := v.head(config.KindManagement)
	f.line("  hypershift-aws:management:")
	f.comment("    ", "The bucket of the hosted clusters' OIDC documents. Its name cannot be changed later: the clusters' issuers contain it.")
	f.line("    oidcBucket:")
	f.key("      ", "name", v.oidcBucket, "")
	f.comment("      ", "How the documents are read: PublicRead (default), or ThroughCloudFront in accounts that block public buckets.")
	f.key("      ", "access", "", "PublicRead")
	f.comment("    ", "The public zone of the control planes' DNS names, delegated from parentZone. A hosted cluster whose names are in such a zone can")
	f.comment("    ", "be moved to another management cluster; one that was created without it cannot.")
	if v.externalDNSDomain != "" {
		f.line("    zone: {domain: " + scalar(v.externalDNSDomain) + "}")
	} else {
		f.line("    # zone: {domain: hcp.example.com, parentZone: example.com}")
	}
	f.line("    operator:")
	f.comment("      ", "The issuer of the management cluster's service account tokens, whose OIDC provider must exist in the account:")
	f.comment("      ", "oc get authentication cluster -o jsonpath='{.spec.serviceAccountIssuer}'")
	f.key("      ", "issuerURL", v.operatorIssuer, "")
	f.comment("      ", "Begins the names of the operator's roles: unique for each management cluster of an account.")
	f.key("      ", "namePrefix", "", "hypershift")
	f.comment("    ", "A KMS key that encrypts the etcd of hosted clusters; accounts are those of clusters in other accounts.")
	f.line("    # etcdKey: {alias: hypershift-etcd, accounts: [\"123456789012\"]}")
	f.comment("    ", "A bucket for backups of hosted clusters by OADP, and the roles to write to it.")
	f.line("    # backups: {bucketName: " + v.oidcBucket + "-backups}")
	f.comment("    ", "Tags for every resource.")
	f.tags("    ", v.tags)
	f.comment("    ", "The kubeconfig of the management cluster, {} for the current context: the stack then creates the operator's namespace and ConfigMap.")
	f.line("    # kubeconfig: {}")
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
	section.line("      # nodePools: [{zone: " + cmp.Or(strings.Join(v.zones[:min(1, len(v.zones))], ""), v.region+"a") + ", replicas: 2, instanceType: m5.large}]")
	if v.release != "" {
		f.WriteString(section.String())
		return
	}
	for line := range strings.Lines(section.String()) {
		f.WriteString("    # " + strings.TrimPrefix(line, "    "))
	}
}
