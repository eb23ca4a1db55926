import pulumi
import hypershift_aws as hypershift

cluster = hypershift.hypershift.ClusterArgs(name="demo", infra_id="demo-x1")

network = hypershift.network.GuestNetwork(
    "network",
    cluster=cluster,
    base_domain="example.com",
    zones=[
        hypershift.network.ZoneArgs(name="us-east-1a"),
        hypershift.network.ZoneArgs(name="us-east-1b"),
    ],
)

oidc = hypershift.iam.OIDCProvider(
    "oidc", cluster=cluster, bucket_name="demo-oidc", bucket_region="us-east-1"
)

workers = hypershift.iam.WorkerProfile("workers", cluster=cluster)

roles = hypershift.iam.RoleSet(
    "roles",
    cluster=cluster,
    oidc_provider_arn=oidc.arn,
    issuer_url=oidc.issuer_url,
    worker_role_arn=workers.role_arn,
    public_zone_arn=network.public_zone.arn,
    private_zone_arn=network.private_zone.arn,
)

pulumi.export("vpcId", network.vpc_id)
pulumi.export("nodePoolManagementArn", roles.node_pool_management_arn)
