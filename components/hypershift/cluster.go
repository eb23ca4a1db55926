package hypershift

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
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

// The patterns come from HyperShift's CRD, and from Kubernetes' DNS labels.
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
	faults.Join("infraID", ValidateInfraID(c.InfraID))
	faults.Join("tags", ValidateTags(c.Tags))
	return faults.Err()
}

// ValidateInfraID returns a fault unless id can be the infra ID of a cluster.
func ValidateInfraID(id string) error {
	switch {
	case id == "":
		return &fault.Fault{
			Problem: "is missing", Remedy: "set a unique ID, such as the cluster's name and a few characters",
		}
	case len(id) > MaxInfraIDLength:
		return &fault.Fault{
			Value: id, Problem: fmt.Sprintf("is too long (%d characters): names built from it exceed IAM's limit of 64",
				len(id)),
			Remedy: fmt.Sprintf("use at most %d", MaxInfraIDLength),
		}
	case !infraIDPattern.MatchString(id):
		return &fault.Fault{
			Value: id, Problem: "does not match HyperShift's pattern " + infraIDPattern.String(),
			Remedy: "use a-z, 0-9, and -, and begin and end with a letter or digit",
		}
	}
	return nil
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

// LocalZoneName returns the domain of the names that nodes use for a control plane behind PrivateLink:
// "<name>.hypershift.local".
func (c Cluster) LocalZoneName() string { return c.Name + ".hypershift.local" }

// ValidateDomain returns a fault unless domain is a lower-case DNS name with at least two labels, without a trailing
// dot.
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

// EndpointAccess is where a hosted control plane's endpoints can be reached from. Source: the field
// of that name in HyperShift's API, spec.platform.aws.endpointAccess of a HostedCluster.
type EndpointAccess string

const (
	// Public control planes are reached only over the internet. It is the default.
	Public EndpointAccess = "Public"
	// PublicAndPrivate control planes are reached over the internet and, by the nodes, over PrivateLink.
	PublicAndPrivate EndpointAccess = "PublicAndPrivate"
	// Private control planes are reached only over PrivateLink.
	Private EndpointAccess = "Private"
)

// EndpointAccesses lists the modes.
func EndpointAccesses() []EndpointAccess {
	return []EndpointAccess{Public, PublicAndPrivate, Private}
}

// OrDefault returns a, or Public for the zero value.
func (a EndpointAccess) OrDefault() EndpointAccess { return cmp.Or(a, Public) }

// HasPublic reports whether the control plane has endpoints on the internet, and the guest network with
// it public subnets and a public zone.
func (a EndpointAccess) HasPublic() bool { return a.OrDefault() != Private }

// HasPrivate reports whether the control plane is reached over PrivateLink, by names in the guest's local
// zone.
func (a EndpointAccess) HasPrivate() bool { return a.OrDefault() != Public }

// Validate returns a fault for an unknown mode.
func (a EndpointAccess) Validate() error {
	return enum.Validate(a, "is not an endpoint access", EndpointAccesses()...)
}

// ValidateIssuer returns a fault where issuer cannot be the URL of an OIDC issuer that IAM trusts.
func ValidateIssuer(issuer string) error {
	parsed, err := url.Parse(issuer)
	if err == nil && parsed.Scheme == "https" && parsed.Host != "" && parsed.RawQuery == "" && parsed.Fragment == "" &&
		parsed.User == nil && !strings.HasSuffix(issuer, "/") && parsed.Port() == "" {
		return nil
	}
	if err == nil && parsed.Port() != "" {
		return &fault.Fault{Value: issuer, Problem: "has a port, which IAM does not allow in an issuer's URL",
			Remedy: "serve the documents on port 443, and leave the port out"}
	}
	return &fault.Fault{
		Value: issuer, Problem: "is not an issuer's URL",
		Remedy: "use https://, a host and a path, without a query, a fragment or a final slash",
	}
}

var bucketNamePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`)

// ValidateBucketName returns a fault where S3 would refuse the name, or its domain would not be covered
// by S3's certificate. Source: "General purpose bucket naming rules" in the S3 user guide.
func ValidateBucketName(name string) error {
	switch {
	case name == "":
		return &fault.Fault{Problem: "is missing", Remedy: "set a globally unique name"}
	case strings.Contains(name, "."):
		return &fault.Fault{
			Value: name, Problem: "contains dots, which the certificate of S3's domain does not cover",
			Remedy: "use a name without dots",
		}
	case !bucketNamePattern.MatchString(name):
		return &fault.Fault{
			Value: name, Problem: "is not the name of a bucket",
			Remedy: "use 3 to 63 of a-z, 0-9, and -, and begin and end with a letter or digit",
		}
	}
	for _, prefix := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, prefix) {
			return &fault.Fault{
				Value: name, Problem: "begins with " + prefix + ", which S3 reserves", Remedy: "use another prefix",
			}
		}
	}
	for _, suffix := range []string{"-s3alias", "--ol-s3", "--x-s3", "--table-s3"} {
		if strings.HasSuffix(name, suffix) {
			return &fault.Fault{
				Value: name, Problem: "ends with " + suffix + ", which S3 reserves", Remedy: "use another suffix",
			}
		}
	}
	return nil
}
