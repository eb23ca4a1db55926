package hypershift

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// ValidateIssuer returns a fault where issuer cannot be the URL of an OIDC issuer that IAM trusts.
func ValidateIssuer(issuer string) error {
	parsed, err := url.Parse(issuer)
	if err == nil && parsed.Scheme == "https" && parsed.Host != "" && parsed.RawQuery == "" && parsed.Fragment == "" &&
		parsed.User == nil && !strings.HasSuffix(issuer, "/") {
		return nil
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
			Remedy: "use 3 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit",
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
