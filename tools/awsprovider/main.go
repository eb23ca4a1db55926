// Command pulumi-resource-aws serves Terraform's AWS provider to Pulumi's engine, for the tests that judge the account
// in memory where the released plugin cannot be had. See build.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/hashicorp/terraform-provider-aws/xpprovider"
	pf "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	shimv2 "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/x/muxer"
	"github.com/pulumi/pulumi-terraform-bridge/v3/unstable/metadata"
	"github.com/pulumi/pulumi/pkg/v3/resource/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// version is that of the SDK whose requests the provider answers, and names as build metadata what it is.
const version = "6.83.4+terraform.5.67.hypershift-aws"

func main() {
	ctx := context.Background()
	info, meta, err := providerInfo(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if slices.Contains(os.Args, "-version") {
		fmt.Println(version)
		return
	}
	serve := pf.MakeMuxedServer(ctx, "aws", info, []byte(`{"name":"aws","version":"6.83.4"}`))
	err = provider.Main("aws", func(host *provider.HostClient) (pulumirpc.ResourceProviderServer, error) {
		server, err := serve(host)
		return withRecords{server, meta}, err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// providerInfo maps Terraform's provider to Pulumi's names. meta returns what the provider has configured.
func providerInfo(ctx context.Context) (_ tfbridge.ProviderInfo, meta func() any, _ error) {
	framework, sdk, err := xpprovider.GetProvider(ctx)
	if err != nil {
		return tfbridge.ProviderInfo{}, nil, err
	}
	upstream := pf.MuxShimWithPF(ctx, shimv2.NewProvider(sdk), framework)
	info := tfbridge.ProviderInfo{
		P:              upstream,
		Name:           "aws",
		Version:        version,
		MetadataInfo:   tfbridge.NewProviderMetadata([]byte("{}")),
		Config:         settings(),
		Resources:      resources(upstream),
		DataSources:    functions(),
		IgnoreMappings: ignored(upstream),
	}
	shim, ok := info.P.(interface {
		ResolveDispatch(*tfbridge.ProviderInfo) (muxer.DispatchTable, error)
	})
	if !ok {
		return info, nil, fmt.Errorf("the bridge's provider %T does not resolve its dispatch", info.P)
	}
	table, err := shim.ResolveDispatch(&info)
	if err != nil {
		return info, nil, err
	}
	return info, sdk.Meta, metadata.Set(info.GetMetadata(), "mux", table)
}
