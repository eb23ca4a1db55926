package hypershift

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// MaxInfraIDLength is the maximum length of an infra ID, in characters: IAM names are limited to 64, and the longest
// suffix that HyperShift adds to an infra ID has 32.
const MaxInfraIDLength = 32

// BackupNamespace is the namespace of OADP in a management cluster unless users decide otherwise.
const BackupNamespace = "openshift-adp"

// Cluster identifies a hosted cluster in AWS: every resource is named and tagged by it.
type Cluster struct {
	// Name is the name of the HostedCluster, a DNS label of at most 63 characters. Required. Changing it replaces the
	// private hosted zones and the HostedCluster.
	Name string `yaml:"name" pulumi:"name"`
	// InfraID is the prefix of the names of the cluster's AWS resources, and their infra-id tag. It must be unique in the
	// account: at most 32 characters of a-z, 0-9 and "-", beginning and ending with a letter or digit. Default: name and
	// five characters derived from the stack's name (a Go program must give it). Changing it replaces every resource.
	InfraID string `yaml:"infraID,omitempty" pulumi:"infraID"`
	// Tags are tags for every resource that supports tags. At most 24, because HyperShift allows 25 and adds one itself.
	// Default none.
	Tags map[string]string `yaml:"tags" pulumi:"tags,optional"`
}

// The patterns are those of HyperShift's CRD and of Kubernetes' DNS labels.
var (
	infraIDPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	labelPattern   = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
)

// IsInfraID reports whether a text matches HyperShift's pattern of infra IDs.
func IsInfraID(text string) bool { return infraIDPattern.MatchString(text) }

// Validate returns every fault in the identity.
func (c Cluster) Validate() error {
	var faults fault.Faults
	switch {
	case c.Name == "":
		faults.Add("name", nil, "is missing", "set the HostedCluster's name")
	case len(c.Name) > 63 || !labelPattern.MatchString(c.Name):
		faults.Add("name", c.Name, "is not a DNS label",
			"use at most 63 of a-z, 0-9 and -, beginning with a letter and ending with a letter or digit")
	}
	switch {
	case c.InfraID == "":
		faults.Add("infraID", nil, "is missing", "set a unique ID, such as the cluster's name and a few characters")
	case len(c.InfraID) > MaxInfraIDLength:
		faults.Add("infraID", c.InfraID,
			fmt.Sprintf("is too long (%d characters): names built from it exceed IAM's limit of 64", len(c.InfraID)),
			fmt.Sprintf("use at most %d", MaxInfraIDLength))
	case !infraIDPattern.MatchString(c.InfraID):
		faults.Add("infraID", c.InfraID, "does not match HyperShift's pattern "+infraIDPattern.String(),
			"use a-z, 0-9 and -, beginning and ending with a letter or digit")
	}
	faults.Join("tags", ValidateTags(c.Tags))
	return faults.Err()
}

// ZoneName returns the domain of the cluster's private zone: prefix and base domain, where an empty prefix
// means the cluster's name and "none" no prefix.
func (c Cluster) ZoneName(prefix, baseDomain string) string {
	switch prefix {
	case "":
		prefix = c.Name
	case NoPrefix:
		return baseDomain
	}
	return prefix + "." + baseDomain
}

// NoPrefix is the baseDomainPrefix that means no prefix.
const NoPrefix = "none"

// LocalZoneName returns the domain of the names by which nodes find a control plane over PrivateLink:
// "<name>.hypershift.local".
func (c Cluster) LocalZoneName() string { return c.Name + ".hypershift.local" }

// ValidateDomain returns a fault where domain is no lower-case DNS name of two labels or more without
// a final dot.
func ValidateDomain(domain string) error {
	labels := strings.Split(domain, ".")
	ok := len(labels) > 1 && len(domain) <= 253
	for _, label := range labels {
		ok = ok && len(label) <= 63 && domainLabelPattern.MatchString(label)
	}
	if ok {
		return nil
	}
	return &fault.Fault{
		Value:   domain,
		Problem: "is not a domain name",
		Remedy:  "use lower-case labels joined by dots, without a final dot, such as example.com",
	}
}

var domainLabelPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
