package awsprovider

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// module matches the path of a package of pulumi-aws, with its major version.
var module = regexp.MustCompile(`/pulumi-aws/sdk/v(\d+)/`)

// MajorOf returns the major version of pulumi-aws whose Go package has a provider's type, "" for another provider.
func MajorOf(provider any) string {
	found := module.FindStringSubmatch(reflect.Indirect(reflect.ValueOf(provider)).Type().PkgPath())
	if found == nil {
		return ""
	}
	return found[1]
}

// CheckVersion returns a fault at a path for a provider of another major version than this module's: its resources have
// other inputs, such as the region, and the states of the two cannot be exchanged. version is all or the first number;
// nil for "".
func CheckVersion(path, version string) error {
	major, _, _ := strings.Cut(version, ".")
	own := MajorOf(&aws.Provider{})
	if major == "" || major == own {
		return nil
	}
	return &fault.Fault{
		Path: path, Problem: "is of pulumi-aws v" + major + ", and the components create resources of v" + own,
		Remedy: "create the provider with version " + own + " of @pulumi/aws, pulumi-aws, Pulumi.Aws or com.pulumi:aws, in Go of " +
			"github.com/pulumi/pulumi-aws/sdk/v" + own + "/go/aws, in YAML with the option version",
	}
}
