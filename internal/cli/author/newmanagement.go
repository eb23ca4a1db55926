package author

import (
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// managementKind is a management account.
func managementKind() newKind {
	return newKind{
		name: config.KindManagement, flags: managementFlags, questions: managementQuestions,
		file: newValues.managementFile,
	}
}

func managementFlags(f *kindFlags) {
	f.oidcBucket()
	f.externalDNSDomain()
	f.text(&f.values.operatorIssuer, "operator-issuer",
		"for --kind management, the `URL` of the issuer of the management cluster's tokens")
	f.tags()
}

func managementQuestions(a asked) []question {
	return []question{
		a.forRegion(), a.forBucket("--oidc-bucket", "oidcBucket.name"), {
			value: &a.operatorIssuer, flag: "--operator-issuer",
			prompt: "issuer URL of the management cluster's service account tokens",
			path:   a.key("operator.issuerURL"), example: "https://issuer.example.com",
		}, {
			value:  &a.externalDNSDomain,
			prompt: "domain of a public zone for the control planes' names, without which clusters can never be moved to another management cluster",
			answer: "none", path: a.key("zone.domain"), optional: true,
		},
	}
}

// managementFile returns the file of a stack of kind management: what a management account needs before HyperShift's
// operator is installed.
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
