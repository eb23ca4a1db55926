package kubernetes_test

import (
	provider "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// What HyperShift's operator needs in the management cluster before it is installed, if it assumes roles.
func ExampleNewInstallObjects() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		management, err := provider.NewProvider(ctx, "management", &provider.ProviderArgs{
			Context: pulumi.String("management"),
		})
		if err != nil {
			return err
		}
		objects, err := kubernetes.NewInstallObjects(ctx, "install", &kubernetes.InstallObjectsArgs{
			Namespace: "hypershift", BucketName: pulumi.String("demo-oidc"), BucketRegion: pulumi.String("us-east-1"),
		}, pulumi.Provider(management))
		if err != nil {
			return err
		}
		ctx.Export("namespace", objects.Namespace)
		return nil
	})
	// Output:
	// config map: 1
	// namespace: 1
}
