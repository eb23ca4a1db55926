package component

import (
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// checkProviders refuses an AWS provider of another major version of pulumi-aws than the components'. It sees the
// providers that a Go program passes; those of other languages, which the engine passes without their version, are
// checked by the plugin.
func checkProviders(opts []pulumi.ResourceOption) error {
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return err
	}
	var faults []error
	for _, provider := range append(given.Providers, given.Provider) {
		if provider != nil {
			faults = append(faults, awsprovider.CheckVersion("provider", awsprovider.MajorOf(provider)))
		}
	}
	return errors.Join(faults...)
}
