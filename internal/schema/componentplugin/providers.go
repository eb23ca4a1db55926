package componentplugin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// checkProviders refuses AWS providers of another major version of pulumi-aws than the components': those of the
// component's options, by package as "URN::ID", and those among its inputs, by property as URN.
func checkProviders(ctx *pulumi.Context, options map[string]string, inputs map[string]string) error {
	var faults fault.Faults
	at := map[string]string{}
	for _, reference := range options {
		if i := strings.LastIndex(reference, urn.NameDelimiter); i >= 0 {
			at[reference[:i]] = "provider"
		}
	}
	for path, reference := range inputs {
		at[reference] = path
	}
	for _, provider := range slices.Sorted(maps.Keys(at)) {
		if resource.URN(provider).Type() != awsProviderType {
			continue
		}
		version, err := versionOf(ctx, provider)
		if err != nil {
			return err
		}
		faults.Join("", awsprovider.CheckVersion(at[provider], version))
	}
	return faults.Err()
}

// versionOf returns the version of the plugin that a provider of the program runs, "" if the engine does not know it.
func versionOf(ctx *pulumi.Context, provider string) (string, error) {
	var read struct {
		State map[string]any `pulumi:"state"`
	}
	args := &struct {
		URN string `pulumi:"urn"`
	}{provider}
	if err := ctx.Invoke("pulumi:pulumi:getResource", args, &read); err != nil {
		return "", fmt.Errorf("reading the version of provider %s: %w", provider, err)
	}
	version, _ := read.State["version"].(string)
	return version, nil
}
