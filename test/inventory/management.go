package inventory

// managementItems returns the resources of a management stack.
func managementItems() []Item {
	const stage = ManagementPrerequisites
	return []Item{
		{Stage: stage, What: "OIDC bucket", Resources: `s3\.\w+ prerequisites-oidc-bucket`},
		{
			Stage: stage, What: "CloudFront distribution in front of the OIDC bucket",
			Option:    "management.oidcBucket.access: ThroughCloudFront",
			Resources: `cloudfront\.\w+ prerequisites-oidc-bucket`,
		},
		{
			Stage: stage, What: "public zone of the hosted clusters' names", Option: "management.zone",
			Without: []string{"management.zone.existing"}, Resources: `route53\.Zone prerequisites-zone`,
		},
		{
			Stage: stage, What: "its delegation", Option: "management.zone.parentZone",
			Without: []string{"management.zone.existing"}, Resources: `route53\.Record prerequisites-delegation`,
		},
		{
			Stage: stage, What: "roles of HyperShift's operator, for endpoint services and for OIDC documents",
			Without:   []string{"management.operator.identity: AccessKeys"},
			Resources: `iam\.Role(Policy)? prerequisites-operator-(ec2|oidc-s3)`,
		},
		{
			Stage: stage, What: "role of external-dns", Option: "management.zone",
			Without:   []string{"management.operator.identity: AccessKeys"},
			Resources: `iam\.Role(Policy)? prerequisites-external-dns`,
		},
		{
			Stage: stage, What: "users with access keys, instead of those roles",
			Option:    "management.operator.identity: AccessKeys",
			Resources: `iam\.(User|UserPolicy|AccessKey) prerequisites-(operator-ec2|operator-oidc-s3|external-dns)`,
		},
		{
			Stage: stage, What: "bucket of operator catalogues", Option: "management.registryBucketName",
			Resources: `s3\.\w+ prerequisites-registry-bucket`,
		},
		{
			Stage: stage, What: "bucket for backups", Option: "management.backups",
			Resources: `s3\.\w+ prerequisites-backup-bucket`,
		},
		{
			Stage: stage, What: "role of OADP", Option: "management.backups",
			Resources: `iam\.Role(Policy)? prerequisites-oadp`,
		},
		{
			Stage: stage, What: "role of HyperShift's snapshots of etcd", Option: "management.backups.etcdSnapshots",
			Resources: `iam\.Role(Policy)? prerequisites-etcd-snapshot`,
		},
		{
			Stage: stage, What: "KMS key for etcd", Option: "management.etcdKey",
			Resources: `kms\.\w+ prerequisites-etcd-key`,
		},
		{
			Stage: stage, What: "queue of spot interruptions and its two rules", Option: "management.interruptionQueueName",
			Resources: `(sqs|cloudwatch)\.\w+ prerequisites-interruptions-\w+`,
		},
		{
			Stage: stage, What: "namespace, Secrets and ConfigMap in the management cluster, for `hypershift install`", Option: "management.kubeconfig",
			Resources: `core\.(Namespace|Secret|ConfigMap) install-[a-z0-9-]+`,
		},
	}
}
