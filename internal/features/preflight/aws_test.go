package preflight

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// at returns the settings of a provider whose services are all at an address.
func at(address string, services ...string) map[string]any {
	config := moto.Config(address, append(services, "sts")...)
	config["maxRetries"] = 1
	return config
}

func TestPreflightCallsNothingButReads(t *testing.T) {
	t.Parallel()
	for _, action := range Policy().Statement[0].Action {
		require.Regexp(t, regexp.MustCompile(`^[a-z0-9]+:(Get|List|Describe|Simulate)[A-Z]`), action)
	}
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "/sts/") {
			fmt.Fprint(w, callerIdentity)
			return
		}
		sent++
	}))
	defer server.Close()
	aws := account.NewAWS(at(server.URL, "ec2", "iam"))
	for _, r := range []inventory.Resource{{Type: awstype.VPC, ID: "vpc-1"}, {Type: awstype.OIDCProvider, ID: "arn"}} {
		require.ErrorContains(t, aws.Delete(account.ReadOnly(t.Context()), r), "it only reads")
	}
	require.Zero(t, sent, "the request is refused before it is sent")
}

// callerIdentity is the response of STS to GetCallerIdentity.
const callerIdentity = `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::111111111111:user/me</Arn><Account>111111111111</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`

// simulator answers IAM's queries, and keeps those for simulations.
type simulator struct {
	mu        sync.Mutex
	simulated []url.Values
	results   string
	noRole    bool
}

func (s *simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch action := r.Form.Get("Action"); action {
	case "GetCallerIdentity":
		fmt.Fprint(w, callerIdentity)
	case "GetRole":
		if s.noRole {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>`)
			return
		}
		fmt.Fprint(w, `<GetRoleResponse><GetRoleResult><Role><Arn>arn:aws:iam::111111111111:role/team/deployer</Arn><RoleName>deployer</RoleName></Role></GetRoleResult></GetRoleResponse>`)
	case "SimulatePrincipalPolicy":
		s.simulated = append(s.simulated, r.Form)
		fmt.Fprintf(w, `<SimulatePrincipalPolicyResponse><SimulatePrincipalPolicyResult><EvaluationResults>%s</EvaluationResults><IsTruncated>false</IsTruncated></SimulatePrincipalPolicyResult></SimulatePrincipalPolicyResponse>`, s.results)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

func TestTheSimulationUsesTheRolesPathAndTheConditionsOfTheRealCall(t *testing.T) {
	t.Parallel()
	s := &simulator{results: `
<member><EvalActionName>iam:CreateRole</EvalActionName><EvalDecision>allowed</EvalDecision></member>
<member><EvalActionName>iam:PassRole</EvalActionName><EvalDecision>implicitDeny</EvalDecision></member>
<member><EvalActionName>iam:TagRole</EvalActionName><EvalDecision>explicitDeny</EvalDecision></member>
<member><EvalActionName>iam:GetRole</EvalActionName><EvalDecision>implicitDeny</EvalDecision><OrganizationsDecisionDetail><AllowedByOrganizations>false</AllowedByOrganizations></OrganizationsDecisionDetail></member>
<member><EvalActionName>iam:PutRolePolicy</EvalActionName><EvalDecision>implicitDeny</EvalDecision><MissingContextValues><member>aws:PrincipalTag/x</member></MissingContextValues></member>
<member><EvalActionName>iam:UntagRole</EvalActionName><EvalDecision>implicitDeny</EvalDecision><PermissionsBoundaryDecisionDetail><AllowedByPermissionsBoundary>false</AllowedByPermissionsBoundary></PermissionsBoundaryDecisionDetail></member>`}
	server := httptest.NewServer(s)
	defer server.Close()
	session := awsconfig.Identity{Place: here, ARN: "arn:aws:sts::111111111111:assumed-role/deployer/me"}
	statement := policy.Statement{
		Action: []string{"iam:CreateRole", "iam:PassRole"}, Resource: []string{"arn:aws:iam::111111111111:role/demo"},
		Condition: policy.Condition{"StringEquals": {"iam:PassedToService": {"ec2.amazonaws.com", "ec2.amazonaws.com.cn"}}},
	}
	denials, err := account.NewAWS(at(server.URL, "iam")).Simulate(t.Context(), session, statement)
	require.NoError(t, err)
	require.Equal(t, []account.Denial{
		{Action: "iam:PassRole", By: "no policy allows it"}, {Action: "iam:TagRole", By: "a policy denies it"},
		{Action: "iam:GetRole", By: "a service control policy of the organization denies it"},
		{Action: "iam:PutRolePolicy", By: "no policy allows it", Unsure: true},
		{Action: "iam:UntagRole", By: "the permissions boundary does not allow it"},
	}, denials)
	asked := s.simulated[0]
	require.Equal(t, "arn:aws:iam::111111111111:role/team/deployer", asked.Get("PolicySourceArn"),
		"the role's ARN, not the session's")
	require.Equal(t, "arn:aws:iam::111111111111:role/demo", asked.Get("ResourceArns.member.1"))
	context := map[string]string{}
	for i := 1; i <= 2; i++ {
		entry := fmt.Sprintf("ContextEntries.member.%d.", i)
		context[asked.Get(entry+"ContextKeyName")] = asked.Get(entry + "ContextKeyValues.member.1")
	}
	require.Equal(t, map[string]string{
		"aws:RequestedRegion": "us-east-1",
		"iam:PassedToService": "ec2.amazonaws.com",
	}, context)

	s.noRole = true
	_, err = account.NewAWS(at(server.URL, "iam")).Simulate(t.Context(), session, policy.Statement{
		Action:   []string{"ec2:CreateVpc"},
		Resource: []string{"*"},
	})
	require.NoError(t, err)
	require.Equal(t, "arn:aws:iam::111111111111:role/deployer", s.simulated[1].Get("PolicySourceArn"),
		"who may not read the role simulates the usual path")
	require.Empty(t, s.simulated[1].Get("ResourceArns.member.1"))
	denials, err = account.NewAWS(at(server.URL, "iam")).Simulate(t.Context(), awsconfig.Identity{
		ARN: "arn:aws:iam::111111111111:root",
	}, statement)
	require.NoError(t, err)
	require.Empty(t, denials)
	_, err = account.NewAWS(at(server.URL, "iam")).Simulate(t.Context(), awsconfig.Identity{
		ARN: "arn:aws:sts::111111111111:federated-user/me",
	}, statement)
	require.ErrorContains(t, err, "federated user")
}

// TestAQuotaThatWasNeverRaisedHasItsDefault: Service Quotas returns only quotas that were applied for.
func TestAQuotaThatWasNeverRaisedHasItsDefault(t *testing.T) {
	t.Parallel()
	var regions []string
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "/sts/") {
			fmt.Fprint(w, callerIdentity)
			return
		}
		var in struct{ ServiceCode, QuotaCode string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		mu.Lock()
		regions = append(regions, in.ServiceCode+" "+strings.Split(r.Header.Get("Authorization"), "/")[2])
		mu.Unlock()
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		operation := r.Header.Get("X-Amz-Target")
		switch {
		case in.QuotaCode == "L-F678F1CE":
			fmt.Fprint(w, `{"Quota":{"Value":7}}`)
		case strings.HasSuffix(operation, ".GetServiceQuota"):
			w.Header().Set("X-Amzn-Errortype", "NoSuchResourceException")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"__type":"NoSuchResourceException","Message":"not applied"}`)
		default:
			fmt.Fprint(w, `{"Quota":{"Value":100}}`)
		}
	}))
	defer server.Close()
	reader := account.NewAWS(at(server.URL, "servicequotas"))
	for name, want := range map[string]int{"vpcs": 7, "oidcProviders": 100} {
		q, _ := awstype.QuotaOf(name)
		limit, used, err := reader.Limit(t.Context(), q, "")
		require.NoError(t, err)
		require.Equal(t, want, limit)
		require.Equal(t, account.Uncounted, used)
	}
	require.Contains(t, regions, "iam us-east-1")
	govcloud, _ := awstype.QuotaOf("roles")
	require.Equal(t, "https://us-gov-west-1.console.amazonaws-us-gov.com/servicequotas/home/services/iam/quotas/L-FE177D64", console(govcloud, "us-gov-east-1"))
	for name, region := range map[string]string{
		"roles":         "cn-north-1",
		"oidcProviders": "cn-north-1",
		"hostedZones":   "cn-northwest-1",
		"vpcs":          "cn-west-9",
	} {
		q, known := awstype.QuotaOf(name)
		require.True(t, known, name)
		require.Equal(t, region, q.Region("aws-cn", "cn-west-9"), name)
	}
}

// HeadBucket does not tell whose a bucket is: without s3:ListBucket the answer for a bucket of the caller's account is
// the same as for others.
func TestABucketThatTheCallerMayNotReadIsNotCalledAnotherAccounts(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]Holder{
		http.StatusForbidden:        Hidden,
		http.StatusMovedPermanently: Elsewhere,
		http.StatusNotFound:         Nobody,
		http.StatusOK:               Own,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.Header.Get("Authorization"), "/sts/") {
				fmt.Fprint(w, callerIdentity)
				return
			}
			w.WriteHeader(status)
		}))
		holder, err := findHolder(t.Context(), account.NewAWS(at(server.URL, "s3")), Name{
			Token: awstype.Bucket,
			Name:  "demo-oidc",
		})
		require.NoError(t, err)
		require.Equal(t, want, holder, status)
		documents, err := findHolder(t.Context(), account.NewAWS(at(server.URL, "s3")), Name{
			Token: OIDCDocuments,
			Name:  "demo-oidc.s3.eu-west-1.amazonaws.com/demo-x1",
		})
		require.Equal(t, map[int]Holder{http.StatusOK: Own}[status], documents, status)
		require.Equal(t, status == http.StatusForbidden || status == http.StatusMovedPermanently, err != nil, status)
		server.Close()
	}
}

// TestQuotasAndNamesAreReadThroughAWSsAPI uses an emulator of AWS from another project, with an account that has some
// resources.
func TestQuotasAndNamesAreReadThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	services := []string{"ec2", "elbv2", "iam", "kms", "route53", "s3", "servicequotas"}
	direct := moto.Serve(t, "preflight through AWS's SDK")
	config := at(direct, services...)
	config["maxRetries"] = 5 // on a busy machine the emulator sometimes breaks a connection
	ctx := t.Context()
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(ctx)
	require.NoError(t, err)
	watched, calls := moto.Watch(t, direct)
	asked := at(watched, services...)
	asked["maxRetries"] = 5
	reader := account.NewAWS(asked)
	who, err := reader.Identity(ctx)
	require.NoError(t, err)
	place := who.Place
	read := account.ReadOnly(ctx)
	counted := func(name, of string) int {
		q, known := awstype.QuotaOf(name)
		require.True(t, known)
		if name == "roles" || name == "instanceProfiles" {
			_, used, err := reader.Limit(read, q, of)
			require.NoError(t, err, name)
			return used
		}
		used, err := count(read, reader, q, place, of)
		require.NoError(t, err, name)
		return used
	}
	before := map[string]int{}
	for _, name := range []string{"vpcs", "internetGateways", "elasticIPs", "gatewayEndpoints", "securityGroups",
		"oidcProviders", "roles", "instanceProfiles"} {
		before[name] = counted(name, "")
	}
	require.Zero(t, counted("natGatewaysPerZone", "us-east-1a"))

	client := ec2.NewFromConfig(cfg, func(o *ec2.Options) { settings.SetEndpoint("ec2", &o.BaseEndpoint) })
	vpc := must(client.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})).Vpc.VpcId
	peer := must(client.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.99.0.0/16")})).Vpc.VpcId
	must(client.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{}))
	subnet := must(client.CreateSubnet(ctx, &ec2.CreateSubnetInput{
		VpcId:            vpc,
		CidrBlock:        aws.String("10.0.0.0/20"),
		AvailabilityZone: aws.String("us-east-1a"),
	})).Subnet.SubnetId
	address := must(client.AllocateAddress(ctx, &ec2.AllocateAddressInput{Domain: "vpc"})).AllocationId
	must(client.CreateNatGateway(ctx, &ec2.CreateNatGatewayInput{SubnetId: subnet, AllocationId: address}))
	must(client.CreateVpcEndpoint(ctx, &ec2.CreateVpcEndpointInput{
		VpcId:       vpc,
		ServiceName: aws.String("com.amazonaws.us-east-1.s3"),
	}))
	connection := must(client.CreateVpcPeeringConnection(ctx,
		&ec2.CreateVpcPeeringConnectionInput{VpcId: vpc, PeerVpcId: peer})).VpcPeeringConnection.VpcPeeringConnectionId
	must(client.AcceptVpcPeeringConnection(ctx, &ec2.AcceptVpcPeeringConnectionInput{VpcPeeringConnectionId: connection}))
	image := must(client.DescribeImages(ctx, &ec2.DescribeImagesInput{Owners: []string{"amazon"}})).Images[0].ImageId
	must(client.RunInstances(ctx, &ec2.RunInstancesInput{
		ImageId: image, MinCount: aws.Int32(2), MaxCount: aws.Int32(2), InstanceType: ec2types.InstanceTypeM5Xlarge,
		SubnetId: subnet,
	}))
	identities := iam.NewFromConfig(cfg, func(o *iam.Options) { settings.SetEndpoint("iam", &o.BaseEndpoint) })
	trust := aws.String(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}`)
	must(identities.CreateRole(ctx, &iam.CreateRoleInput{
		RoleName:                 aws.String("demo"),
		Path:                     aws.String("/team/"),
		AssumeRolePolicyDocument: trust,
	}))
	must(identities.CreateInstanceProfile(ctx, &iam.CreateInstanceProfileInput{InstanceProfileName: aws.String("demo")}))
	must(identities.CreateUser(ctx, &iam.CreateUserInput{UserName: aws.String("demo")}))
	must(identities.CreatePolicy(ctx, &iam.CreatePolicyInput{PolicyName: aws.String("demo"), Path: aws.String("/team/"),
		PolicyDocument: aws.String(
			`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"ec2:DescribeVpcs","Resource":"*"}]}`)}))
	must(identities.CreateOpenIDConnectProvider(ctx, &iam.CreateOpenIDConnectProviderInput{
		Url: aws.String("https://issuer.example.com/demo"), ClientIDList: []string{"openshift"},
		ThumbprintList: []string{strings.Repeat("a", 40)},
	}))
	keys := kms.NewFromConfig(cfg, func(o *kms.Options) { settings.SetEndpoint("kms", &o.BaseEndpoint) })
	key := must(keys.CreateKey(ctx, &kms.CreateKeyInput{})).KeyMetadata.KeyId
	must(keys.CreateAlias(ctx, &kms.CreateAliasInput{AliasName: aws.String("alias/etcd"), TargetKeyId: key}))
	dns := route53.NewFromConfig(cfg, func(o *route53.Options) { settings.SetEndpoint("route53", &o.BaseEndpoint) })
	must(dns.CreateHostedZone(ctx, &route53.CreateHostedZoneInput{
		Name:            aws.String("example.com"),
		CallerReference: aws.String("1"),
	}))
	buckets := s3.NewFromConfig(cfg, func(o *s3.Options) {
		settings.SetEndpoint("s3", &o.BaseEndpoint)
		o.UsePathStyle = true
	})
	must(buckets.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("demo-oidc")}))

	require.Equal(t, "us-east-1", who.Region)
	for name, more := range map[string]int{
		"vpcs": 2, "internetGateways": 1, "elasticIPs": 1, "gatewayEndpoints": 1, "securityGroups": 2, "oidcProviders": 1,
		"roles": 1, "instanceProfiles": 1,
	} {
		require.Equal(t, before[name]+more, counted(name, ""), name)
	}
	require.Equal(t, 1, counted("natGatewaysPerZone", "us-east-1a"))
	require.Zero(t, counted("natGatewaysPerZone", "us-east-1b"))
	require.Equal(t, 1, counted("subnetsPerVPC", *vpc))
	require.Equal(t, 1, counted("routeTablesPerVPC", *vpc), "the main one")
	require.Zero(t, counted("interfaceEndpointsPerVPC", *vpc))
	require.Zero(t, counted("networkLoadBalancers", ""))
	require.Equal(t, 8, counted(awstype.StandardVCPUs, ""))
	require.Zero(t, counted(awstype.SpotVCPUs, ""))
	for name, limit := range map[string]int{
		"vpcs": 5, "internetGateways": 5, "natGatewaysPerZone": 5, "gatewayEndpoints": 20, "interfaceEndpointsPerVPC": 50,
		"subnetsPerVPC":     200,
		"routeTablesPerVPC": 200, "securityGroups": 2500, "elasticIPs": 5,
	} {
		q, _ := awstype.QuotaOf(name)
		got, _, err := reader.Limit(read, q, "")
		require.NoError(t, err, name)
		require.Equal(t, limit, got, "%s: its code is the right one", name)
	}
	vCPUs, err := reader.VCPUs(read, []string{"m5.xlarge", "m5.odd"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"m5.xlarge": 4}, vCPUs)
	offers, err := reader.Offers(read, []string{"m5.xlarge"})
	require.NoError(t, err)
	require.Contains(t, offers["m5.xlarge"], "us-east-1a")
	enabled, err := reader.RegionEnabled(read)
	require.NoError(t, err)
	require.True(t, enabled)
	zones, err := reader.Zones(read)
	require.NoError(t, err)
	require.Contains(t, zones, account.Zone{Name: "us-east-1a", ID: "use1-az6", OptedIn: true, Available: true})
	_, exists, err := reader.ServiceZones(read, "com.amazonaws.us-east-1.s3")
	require.NoError(t, err)
	require.True(t, exists)
	peers, err := peers(read, reader, place)
	require.NoError(t, err)
	require.Contains(t, peers, Network{ID: *peer, Owner: who.Account, CIDRs: []string{"10.99.0.0/16"}, Why: "peered"})
	for _, n := range []Name{
		{Token: awstype.Role, Name: "demo"}, {Token: awstype.InstanceProfile, Name: "demo"},
		{Token: awstype.User, Name: "demo"},
		{Token: awstype.Policy, Name: "/team/demo"}, {Token: awstype.OIDCProvider, Name: "issuer.example.com/demo"},
		{Token: awstype.KMSAlias, Name: "alias/etcd"},
		{Token: awstype.HostedZone, Name: "example.com"}, {Token: awstype.Bucket, Name: "demo-oidc"},
	} {
		holder, err := findHolder(read, reader, n)
		require.NoError(t, err, n.Token)
		require.Equal(t, Own, holder, n.Token)
		n.Name += "x"
		holder, err = findHolder(read, reader, n)
		require.NoError(t, err, n.Token)
		require.Equal(t, Nobody, holder, n.Token)
	}
	servers, err := nameServers(read, reader, "example.com")
	require.NoError(t, err)
	require.Len(t, servers, 4)
	servers, err = nameServers(read, reader, "example.org")
	require.NoError(t, err)
	require.Nil(t, servers)
	calls.RequireAllowed(t, []policy.Document{Policy()})
}

// must returns the answer of a call that cannot fail.
func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func TestTheDocsHaveEveryCheckActionAndQuota(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/appendix/checks.md")
	require.NoError(t, err)
	for _, check := range Checks() {
		require.Contains(t, string(text), fmt.Sprintf("| `%s` |", check))
	}
	for _, action := range Policy().Statement[0].Action {
		require.Contains(t, string(text), action)
	}
	for _, q := range awstype.Quotas() {
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %s[^|]* \| .%s/%s. \|`, q, q.Service, q.Code), string(text))
	}
}
