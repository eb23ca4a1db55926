package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each message is as the engine, a provider, AWS or an API server writes it.
func TestARawMessageIsExplainedWithItsCauseAndARemedy(t *testing.T) {
	t.Parallel()
	const bridged = "sdk-v2/provider2.go:520: sdk.helper_schema: "
	const answer = "https response error StatusCode: 400, RequestID: 59dbff89-35bd-4eac-99ed-be587EXAMPLE, "
	for name, c := range map[string]struct{ raw, words, remedy string }{
		"a quota": {"1 error occurred:\n\t* " + bridged + "creating EC2 VPC: operation error EC2: CreateVpc, " + answer +
			"api error VpcLimitExceeded: The maximum number of VPCs has been reached.: provider=aws@6.83.4\n",
			"creating EC2 VPC: AWS refused CreateVpc (VpcLimitExceeded): The maximum number of VPCs has been reached", "higher quota"},
		"a denied call": {bridged + "creating IAM Role (demo): operation error IAM: CreateRole, https response error StatusCode: 403, RequestID: 1, " +
			"api error AccessDenied: User: arn:aws:iam::123456789012:user/a is not authorized to perform: iam:CreateRole: provider=aws@6.83.4",
			"creating IAM Role (demo): AWS refused CreateRole (AccessDenied): User: arn:aws:iam::123456789012:user/a is not authorized to perform: iam:CreateRole",
			"`hypershift-aws permissions`"},
		"a denied call of EC2": {"creating EC2 VPC: operation error EC2: CreateVpc, https response error StatusCode: 403, RequestID: 1, " +
			"api error UnauthorizedOperation: You are not authorized to perform this operation.",
			"creating EC2 VPC: AWS refused CreateVpc (UnauthorizedOperation): You are not authorized to perform this operation", "`hypershift-aws permissions`"},
		"a role that does not trust the caller": {"operation error EC2: DescribeVpcs, get identity: get credentials: failed to refresh cached credentials, " +
			"operation error STS: AssumeRole, https response error StatusCode: 403, RequestID: 1, api error AccessDenied: User a is not authorized to perform: sts:AssumeRole",
			"AWS gives no credentials: AssumeRole is refused (AccessDenied): User a is not authorized to perform: sts:AssumeRole", "correct the role's trust policy"},
		"a code of which the SDK has a type": {"deleting IAM Role (demo): operation error IAM: DeleteRole, https response error StatusCode: 409, RequestID: 1, " +
			"DeleteConflict: Cannot delete entity, must detach all policies first.",
			"deleting IAM Role (demo): AWS refused DeleteRole (DeleteConflict): Cannot delete entity, must detach all policies first", "`hypershift-aws sweep`"},
		"a bucket": {"deleting S3 Bucket (oidc): operation error S3: DeleteBucket, https response error StatusCode: 409, RequestID: 1, HostID: abc/def=, " +
			"api error BucketNotEmpty: The bucket you tried to delete is not empty",
			"deleting S3 Bucket (oidc): AWS refused DeleteBucket (BucketNotEmpty): The bucket you tried to delete is not empty", "another resource uses it"},
		"an expired token": {"rpc error: code = Unknown desc = reading EC2 VPC (vpc-1): operation error EC2: DescribeVpcs, " + answer + "api error RequestExpired: Request has expired.",
			"reading EC2 VPC (vpc-1): AWS refused DescribeVpcs (RequestExpired): Request has expired", "renew the AWS credentials"},
		"a list that lags": {"sdk-v2/provider2.go:515: sdk.helper_schema: reading EC2 NAT Gateway (nat-1): couldn't find resource: provider=aws@6.83.4",
			"reading EC2 NAT Gateway (nat-1): AWS does not list it (its lists lag for some seconds after a creation)", "which continues where it stopped"},
		"throttling": {"operation error EC2: CreateTags, exceeded maximum number of attempts, 25, " + answer +
			"api error RequestLimitExceeded: Request limit exceeded.",
			"AWS refused CreateTags (RequestLimitExceeded): Request limit exceeded", "with fewer stacks of the account at once"},
		"a code without a remedy of its own": {"operation error EC2: CreateVpc, " + answer + "api error SomethingNew: why",
			"AWS refused CreateVpc (SomethingNew): why", "--details"},
		"an answer without the SDK's words": {"deleting EC2 VPC (vpc-1): DependencyViolation: The vpc 'vpc-1' has dependencies and cannot be deleted.",
			"deleting EC2 VPC (vpc-1): AWS refused it (DependencyViolation): The vpc 'vpc-1' has dependencies and cannot be deleted", "another resource uses it"},
		"an address in use": {"deleting EC2 EIP (eipalloc-1): operation error EC2: ReleaseAddress, https response error StatusCode: 400, RequestID: 1, api error InvalidIPAddress.InUse: The address is in use.",
			"AWS refused ReleaseAddress (InvalidIPAddress.InUse): The address is in use", "hypershift-aws sweep"},
		"a name that is taken": {OwnWords("creating IAM Role: operation error IAM: CreateRole, https response error StatusCode: 409, RequestID: 1, api error EntityAlreadyExists: Role with name x already exists."),
			"AWS refused CreateRole (EntityAlreadyExists): Role with name x already exists", "hypershift-aws adopt --preview"},
		"a state's backend that is gone": {"failed to save snapshot: An IO error occurred while writing the new snapshot file: blob (code=NotFound): operation error S3: PutObject, " +
			"https response error StatusCode: 404, RequestID: 1, HostID: , NoSuchBucket: The specified bucket does not exist",
			"the engine cannot write the stack's state: NoSuchBucket: The specified bucket does not exist", "the state's backend"},
		"an unreachable endpoint": {"reading Route 53 Hosted Zone: operation error Route 53: ListHostedZones, exceeded maximum number of attempts, 9, " +
			`https response error StatusCode: 0, RequestID: , request send failed, Get "https://route53.us-esat-1.amazonaws.com/2013-04-01/hostedzone": ` +
			"dial tcp: lookup route53.us-esat-1.amazonaws.com on 10.0.0.2:53: no such host",
			"reading Route 53 Hosted Zone: https://route53.us-esat-1.amazonaws.com cannot be reached (no such host)", "aws:region"},
		"an API server that does not answer": {`Get "https://10.0.0.1:6443/api/v1/namespaces": dial tcp 10.0.0.1:6443: connect: connection refused`,
			"https://10.0.0.1:6443 cannot be reached (connection refused)", "kubeconfig"},
		"IMDSv1": {"SDK 2026/11/23 05:00:00 WARN falling back to IMDSv1: operation error ec2imds: getToken, http response error StatusCode: 404, request to EC2 IMDS failed",
			"did not answer with a token (IMDSv2)", "AWS_EC2_METADATA_DISABLED=true"},
		"no credentials": {bridged + "configuring Terraform AWS Provider: no valid credential sources for Terraform AWS Provider found. Please see https://registry…",
			"there are no valid AWS credentials", "aws:profile"},
		"no instance role": {"failed to refresh cached credentials, no EC2 IMDS role found, operation error ec2imds: GetMetadata, request canceled, context deadline exceeded",
			"there are no valid AWS credentials", "aws sso login"},
		"single sign-on": {"refreshing cached SSO token: the SSO session has expired or is invalid",
			"the AWS SSO session has expired", "aws sso login"},
		"a field of another manager": {"Server-Side Apply field conflict detected. See https://www.pulumi.com/…#field-conflicts: the resource clusters/demo was not applied: " +
			`Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using hypershift.openshift.io/v1beta1: .spec.replicas`,
			"kubectl of the management cluster has set the field .spec.replicas", "put that value into the stack's file"},
		"an object that changes": {`Operation cannot be fulfilled on nodepools.hypershift.openshift.io "demo": the object has been modified; please apply your changes to the latest version`,
			"nodepools.hypershift.openshift.io demo was changed by another client", "run the same command again"},
		"a webhook": {`resource clusters/demo was not successfully created by the Kubernetes API server: admission webhook "hostedclusters.hypershift.openshift.io" denied the request: spec.x is wrong`,
			"webhook hostedclusters.hypershift.openshift.io refused it: spec.x is wrong", "correct the value"},
		"a right that is missing": {`secrets is forbidden: User "system:serviceaccount:a:b" cannot create resource "secrets" in API group "" in the namespace "clusters"`,
			"system:serviceaccount:a:b may not create secrets", "ClusterRole"},
		"a CRD that is too old": {`failed to create typed patch object (clusters/demo): .spec.autoNode: field not declared in schema`, "has no field spec.autoNode", "upgrade the operator"},
		"no CRD":                {`no matches for kind "HostedCluster" in version "hypershift.openshift.io/v1beta1"`, "has no kind HostedCluster", "install the operator"},
		"a kubeconfig that ended": {"the server has asked for the client to provide credentials",
			"does not accept the kubeconfig's credentials", "sign in again"},
		"a certificate": {"tls: failed to verify certificate: x509: certificate signed by unknown authority", "certificate signed by unknown authority", "certificate authority"},
		"a plugin that ended": {"rpc error: code = Unavailable desc = error reading from server: EOF",
			"the provider's process has ended", "free memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words, known := Explain(c.raw)
			require.True(t, known, words)
			what, remedy, _ := strings.Cut(words, "; ")
			assert.Contains(t, what, c.words)
			assert.Contains(t, remedy, c.remedy)
			for _, raw := range []string{"sdk-v2/", "rpc error", "RequestID", "StatusCode", "error occurred", "provider=aws",
				"operation error"} {
				assert.NotContains(t, words, raw)
			}
			again, known := Explain(words)
			assert.False(t, known, "words are explained once: %s", again)
		})
	}
}

// AWS's own words may have what other rules look for; the code decides.
func TestAnAnswerOfAWSIsExplainedByItsCodeWhateverItsWords(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"Unauthorized", "x509: certificate signed by unknown authority", "error reading from server: EOF",
		"the stack is currently locked by a policy",
		`secrets is forbidden: User "a" cannot get resource "b"`, `no matches for kind "A" in version "b"`, "a: field not declared in schema",
		`admission webhook "a" denied the request: b`, "The SSO session has expired: the SSO session has expired or is invalid",
	} {
		got, known := Explain("creating EC2 VPC: operation error EC2: CreateVpc, https response error StatusCode: 400, RequestID: 1, api error DependencyViolation: " + words)
		require.True(t, known)
		assert.Equal(t, "creating EC2 VPC: AWS refused CreateVpc (DependencyViolation): "+words,
			strings.SplitN(got, "; another resource", 2)[0])
	}
}

func TestTheProgramsOwnMessagesAreNotExplained(t *testing.T) {
	t.Parallel()
	for _, own := range []string{
		`Pulumi.dev.yaml:9: hypershift-aws:cluster.name: "x" is taken; use another name`, "VPC vpc is protected, and was not deleted", "creating it failed",
		"looking up the zone: AccessDenied: no; allow the caller to read it: `hypershift-aws permissions` lists what a stack reads",
		"looking up the key pair: reading EC2 Key Pair: couldn't find resource; use a key pair of this account and region",
	} {
		words, known := Explain(own)
		assert.False(t, known)
		assert.Equal(t, own, words)
	}
}

// TestRemediesHaveNoPlaceholders: only the words of an explanation are filled in.
func TestRemediesHaveNoPlaceholders(t *testing.T) {
	t.Parallel()
	for _, rule := range append(append([]explanation{}, unanswered...), explanations...) {
		require.NotRegexp(t, `\$[0-9]`, rule.remedy)
	}
}
