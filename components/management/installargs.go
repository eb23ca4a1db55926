package management

import (
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// InstallArgs select HyperShift's own description of its operator, which a stack applies to the management cluster.
type InstallArgs struct {
	// Manifests are the output of `hypershift install render`, of the version of HyperShift to install, as a file or an
	// https:// URL: the path is relative to the stack's file, absolute, or begins with ~/. YAML documents or a List in JSON,
	// compressed with gzip or not. The stack's bucket, region, zone, roles and scaleFromZero are put in. Required.
	Manifests string `yaml:"manifests" pulumi:"manifests"`
	// Digest is the SHA-256 digest of the file, "sha256:" with 64 hexadecimal digits, which is compared. Required with a URL.
	Digest string `yaml:"digest" pulumi:"digest,optional"`
}

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// IsURL reports whether the manifests are at a URL.
func (args *InstallArgs) IsURL() bool { return strings.Contains(args.Manifests, "://") }

// Validate returns every fault in args that can be found without reading the manifests.
func (args *InstallArgs) Validate() error {
	var faults fault.Faults
	if args == nil {
		return nil
	}
	switch {
	case args.Manifests == "":
		faults.Add("manifests", nil, "is missing", "set the file with the output of `hypershift install render`")
	case args.IsURL() && !strings.HasPrefix(args.Manifests, "https://"):
		faults.Add("manifests", args.Manifests, "is not an https URL", "use https://…, or a file")
	}
	switch {
	case args.Digest != "" && !digestPattern.MatchString(args.Digest):
		faults.Add("digest", args.Digest, "is not a SHA-256 digest", "use sha256: and the 64 digits that `sha256sum FILE` prints")
	case args.Digest == "" && args.IsURL():
		faults.Add("digest", nil, "is missing, but what a URL serves can change", "use sha256: and the 64 digits that `sha256sum FILE` prints for its content")
	}
	return faults.Err()
}
