import * as hypershift from "hypershift-aws";

const cluster = { name: "demo", infraId: "demo-x1" };

const network = new hypershift.network.GuestNetwork("network", {
    cluster,
    baseDomain: "example.com",
    zones: [{ name: "us-east-1a" }, { name: "us-east-1b" }],
});

const oidc = new hypershift.iam.OIDCProvider("oidc", {
    cluster,
    bucketName: "demo-oidc",
    bucketRegion: "us-east-1",
});

const workers = new hypershift.iam.WorkerProfile("workers", { cluster });

const roles = new hypershift.iam.RoleSet("roles", {
    cluster,
    oidcProviderArn: oidc.arn,
    issuerUrl: oidc.issuerUrl,
    workerRoleArn: workers.roleArn,
    publicZoneArn: network.publicZone.arn,
    privateZoneArn: network.privateZone.arn,
});

export const vpcId = network.vpcId;
export const nodePoolManagementArn = roles.nodePoolManagementArn;
