import * as hypershift from "hypershift-aws";

const cluster = { name: "demo", infraID: "demo-x1" };

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
    oidcProviderARN: oidc.arn,
    issuerURL: oidc.issuerURL,
    workerRoleARN: workers.roleARN,
    publicZoneARN: network.publicZone.arn,
    privateZoneARN: network.privateZone.arn,
});

export const vpcID = network.vpcID;
export const nodePoolManagementARN = roles.nodePoolManagementARN;
