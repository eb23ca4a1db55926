package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
)

// runManagement registers what the management account needs and hands it on to the cluster stacks.
func runManagement(ctx *pulumi.Context, file stackFile, config *ManagementConfig) error {
	made, err := management.NewPrerequisites(ctx, "prerequisites", config.prerequisitesArgs())
	if err != nil {
		return file.refused(err, func(string) string { return managementKey })
	}
	if err := makeInstallObjects(ctx, config, made); err != nil {
		return err
	}
	var etcdKeyAccounts []string
	if config.EtcdKey != nil {
		etcdKeyAccounts = config.EtcdKey.Accounts
	}
	for name, value := range map[string]pulumi.Input{
		"kind":                 pulumi.String(KindManagement),
		"accountID":            made.AccountID,
		"region":               made.Region,
		"bucketName":           made.BucketName,
		"issuerBaseURL":        made.IssuerBaseURL,
		"distributionDomain":   made.DistributionDomain,
		"zoneID":               made.Zone.ID,
		"zoneDomain":           made.Zone.Domain,
		"zoneNameServers":      made.Zone.NameServers,
		"zoneDelegation":       made.Zone.Delegation,
		"operatorRoles":        made.OperatorRoles.Outputs(),
		"operatorCredentials":  made.Credentials,
		"installArgs":          made.InstallArgs,
		"registryBucketName":   made.RegistryBucketName,
		"etcdKeyARN":           made.EtcdKeyARN,
		"etcdKeyAccounts":      pulumi.ToStringArray(etcdKeyAccounts),
		"interruptionQueueURL": made.InterruptionQueueURL,
	} {
		ctx.Export(name, value)
	}
	return nil
}

// makeInstallObjects makes what HyperShift's CLI looks for in the management cluster, where the config
// leads to it.
func makeInstallObjects(ctx *pulumi.Context, config *ManagementConfig, made *management.Prerequisites) error {
	if config.Kubeconfig == nil {
		return nil
	}
	cluster, err := config.Kubeconfig.provider(ctx)
	if err != nil {
		return err
	}
	prerequisites := config.prerequisitesArgs()
	_, err = kubernetes.NewInstallObjects(ctx, "install", &kubernetes.InstallObjectsArgs{
		Namespace:   prerequisites.Operator.NamespaceOrDefault(),
		Secrets:     prerequisites.SecretNames(),
		Credentials: made.Credentials,
		BucketName:  made.BucketName, BucketRegion: made.Region,
	}, pulumi.Provider(cluster))
	return err
}

// OperatorRolesOutput is what `hypershift install --aws-operator-roles-file` reads, and the stack output
// "operatorRoles". Source: CreateOperatorRolesOutput in HyperShift's cmd/infra/aws/create_operator_roles.go,
// whose keys and order these are.
type OperatorRolesOutput struct {
	OperatorEC2RoleARN    string `json:"operatorEC2RoleARN"`
	OperatorOIDCS3RoleARN string `json:"operatorOIDCS3RoleARN"`
	// ExternalDNSRoleARN is "" without a zone.
	ExternalDNSRoleARN string `json:"externalDNSRoleARN"`
}
