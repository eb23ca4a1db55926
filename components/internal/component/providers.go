package component

import (
	"reflect"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// awsModule matches the path of a package of pulumi-aws, with its major version.
var awsModule = regexp.MustCompile(`/pulumi-aws/sdk/v(\d+)/`)

// checkProviders refuses an AWS provider of another major version of pulumi-aws than the components': its resources
// have other inputs, such as the region, and the states of the two cannot be exchanged. It sees the providers that a Go
// program passes; the engine passes those of other languages without their version.
func checkProviders(opts []pulumi.ResourceOption) error {
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return err
	}
	own := awsModule.FindStringSubmatch(reflect.TypeFor[aws.Provider]().PkgPath())[1]
	for _, provider := range append(given.Providers, given.Provider) {
		if provider == nil {
			continue
		}
		other := awsModule.FindStringSubmatch(reflect.Indirect(reflect.ValueOf(provider)).Type().PkgPath())
		if other != nil && other[1] != own {
			return &fault.Fault{
				Path: "provider", Problem: "is of pulumi-aws v" + other[1] + ", and the components create resources of v" + own,
				Remedy: "create the provider with github.com/pulumi/pulumi-aws/sdk/v" + own + "/go/aws",
			}
		}
	}
	return nil
}
