package policy

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// graph reads one of the recorded states of the examples.
func graph(t *testing.T, name string) []props.Resource {
	t.Helper()
	text, err := os.ReadFile(repo.Path("internal", "features", "picture", "testdata", "states", name+".json"))
	require.NoError(t, err)
	var resources []apitype.ResourceV3
	require.NoError(t, json.Unmarshal(text, &resources))
	var list []props.Resource
	for _, r := range resources {
		if r.Custom {
			list = append(list, props.ResourceOf(r, r.Inputs))
		}
	}
	return list
}

func broken(report forecast.Policies) []string {
	var list []string
	for _, f := range report.Findings {
		list = append(list, f.Rule+" "+f.Name)
	}
	return slices.Compact(list)
}

func TestTheExamplesComplyWithThePolicies(t *testing.T) {
	t.Parallel()
	accepted := map[string][]string{
		// The example can be destroyed by one command, and its management stack sets no tags.
		// The state is older than httpTokens, so that its pools keep IMDSv1.
		"complete":   {"unprotected-state hosted-cluster-cluster", "instance-metadata-v1 hosted-cluster-demo-us-east-1"},
		"management": {"missing-tags prerequisites-", "unprotected-state prerequisites-"},
	}
	for _, name := range []string{"public", "public-and-private", "private", "management", "complete", "shared-vpc",
		"privatelink"} {
		for _, finding := range broken(Check(graph(t, name), nil)) {
			if !slices.ContainsFunc(accepted[name], func(prefix string) bool { return strings.HasPrefix(finding, prefix) }) {
				t.Errorf("example %s breaks %s", name, finding)
			}
		}
	}
}

// cases has for each rule a resource that keeps it and what is done to it so that it breaks it.
var cases = map[string]struct {
	of    props.Resource
	spoil map[string]any
	says  string
}{
	"bucket-public-write": {
		props.Resource{Type: awstype.BucketPolicy, Map: map[string]any{"policy": `{"Statement":[{"Effect":"Allow","Principal":"*","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::b/*/openid/v1/jwks"]}]}`}},
		map[string]any{"policy": `{"Statement":[{"Effect":"Allow","Principal":{"AWS":"*"},"Action":["s3:GetObject","s3:PutObject"],"Resource":["arn:aws:s3:::b/*/openid/v1/jwks"]}]}`},
		"s3:PutObject to everybody",
	},
	"bucket-public-read": {
		props.Resource{Type: awstype.BucketPolicy, Map: map[string]any{"policy": `{"Statement":{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*/.well-known/openid-configuration"}}`}},
		map[string]any{"policy": `{"Statement":{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}}`},
		"s3:GetObject on arn:aws:s3:::b/* to everybody",
	},
	"trust-sub-and-aud": {
		props.Resource{Type: awstype.Role, Map: map[string]any{"assumeRolePolicy": `{"Statement":[{"Effect":"Allow","Principal":{"Federated":"arn:p"},"Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":{"i:sub":"system:serviceaccount:a:b","i:aud":["openshift"]}}}]}`, "tags": someTags}},
		map[string]any{"assumeRolePolicy": `{"Statement":[{"Effect":"Allow","Principal":{"Federated":"arn:p"},"Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":{"i:sub":"system:serviceaccount:a:b"}}}]}`},
		"another :aud",
	},
	"trust-anyone": {
		props.Resource{Type: awstype.Role, Map: map[string]any{"assumeRolePolicy": `{"Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::1:root"},"Action":"sts:AssumeRole"}]}`, "tags": someTags}},
		map[string]any{"assumeRolePolicy": `{"Statement":[{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"sts:AssumeRole"}]}`},
		"every AWS account",
	},
	"pass-role-on-all": {
		props.Resource{Type: awstype.RolePolicy, Map: map[string]any{"policy": `{"Statement":[{"Effect":"Allow","Action":["iam:PassRole"],"Resource":["arn:aws:iam::1:role/worker"]}]}`}},
		map[string]any{"policy": `{"Statement":[{"Effect":"Allow","Action":["iam:PassRole"],"Resource":["*"]}]}`},
		"iam:PassRole on every role",
	},
	"administrator": {
		props.Resource{Type: awstype.RolePolicy, Map: map[string]any{"policy": `{"Statement":[{"Effect":"Allow","Action":["ec2:DescribeVpcs"],"Resource":["*"]}]}`}},
		map[string]any{"policy": `{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`},
		"every action on *",
	},
	"open-ingress": {
		props.Resource{
			Type: awstype.SecurityGroupIngressRule,
			Map:  map[string]any{"cidrIpv4": "10.0.0.0/16", "ipProtocol": "tcp", "fromPort": 22.0, "toPort": 22.0},
		},
		map[string]any{"cidrIpv4": "0.0.0.0/0"}, "0.0.0.0/0 may reach tcp port 22",
	},
	"default-group-rules": {
		props.Resource{Type: awstype.DefaultSecurityGroup, Map: map[string]any{"vpcId": "vpc-1"}},
		map[string]any{"egress": []any{map[string]any{"protocol": "-1"}}}, "1 egress rules",
	},
	"subnet-public-addresses": {
		props.Resource{Type: awstype.Subnet, Map: map[string]any{"tags": someTags}},
		map[string]any{"mapPublicIpOnLaunch": true}, "public address",
	},
	"endpoint-service-to-all": {
		props.Resource{
			Type: awstype.VPCEndpointService,
			Map:  map[string]any{"allowedPrincipals": []any{"arn:aws:iam::1:root"}, "tags": someTags},
		},
		map[string]any{"allowedPrincipals": []any{"*"}}, "every AWS account may connect",
	},
	"instance-metadata-v1": {
		props.Resource{Type: awstype.Instance,
			Map: map[string]any{"metadataOptions": map[string]any{"httpTokens": "required"},
				"rootBlockDevice": map[string]any{"encrypted": true}, "tags": someTags}},
		map[string]any{"metadataOptions": nil}, "IMDSv1",
	},
	"unprotected-state": {
		props.Resource{
			Type:      awstype.KMSKey,
			Protected: true,
			Map:       map[string]any{"enableKeyRotation": true, "tags": someTags},
		},
		nil, "deletes it",
	},
	"missing-tags": {
		props.Resource{Type: awstype.VPC, Map: map[string]any{"tags": someTags}},
		map[string]any{"tags": map[string]any{"Name": "a"}}, "no tag except Name",
	},
	"unencrypted": {
		props.Resource{Type: awstype.Queue, Map: map[string]any{"sqsManagedSseEnabled": true, "tags": someTags}},
		map[string]any{"sqsManagedSseEnabled": false}, "messages are not encrypted",
	},
	"key-rotation": {
		props.Resource{
			Type:      awstype.KMSKey,
			Protected: true,
			Map:       map[string]any{"enableKeyRotation": true, "tags": someTags},
		},
		map[string]any{"enableKeyRotation": false}, "never rotated",
	},
	"distribution-tls": {
		props.Resource{Type: awstype.Distribution,
			Map: map[string]any{"defaultCacheBehavior": map[string]any{"viewerProtocolPolicy": "https-only"},
				"viewerCertificate": map[string]any{"cloudfrontDefaultCertificate": true}, "tags": someTags}},
		map[string]any{"defaultCacheBehavior": map[string]any{"viewerProtocolPolicy": "allow-all"}}, "accepts HTTP",
	},
}

var someTags = map[string]any{"team": "platform"}

func TestEveryRuleFindsOnlyItsViolations(t *testing.T) {
	t.Parallel()
	for _, rule := range Rules() {
		c, ok := cases[rule.ID]
		if !assert.True(t, ok, "rule %s has no case", rule.ID) {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			t.Parallel()
			good := c.of
			good.Name = "a"
			assert.Empty(t, Check([]props.Resource{good}, nil).Findings)
			bad := good
			bad.Map = map[string]any{}
			for _, of := range []map[string]any{good.Map, c.spoil} {
				for key, value := range of {
					bad.Map[key] = value
				}
			}
			if c.spoil == nil {
				bad.Protected = false
			}
			report := Check([]props.Resource{bad}, nil)
			require.Len(t, report.Open(), 1)
			assert.Equal(t, rule.ID, report.Findings[0].Rule)
			assert.Contains(t, report.Findings[0].Problem, c.says)
			waived := Check([]props.Resource{bad}, []forecast.PolicyWaiver{{Rule: rule.ID, Resource: "a", Reason: "a trial"}})
			assert.Empty(t, waived.Open())
			assert.Contains(t, Text(waived, strings.ToLower), "(reason: a trial)")
			assert.Contains(t, Markdown(waived, strings.ToLower), "(waived: a trial)")
			unused := Check([]props.Resource{bad}, []forecast.PolicyWaiver{{Rule: rule.ID, Resource: "b", Reason: "a trial"}})
			assert.Len(t, unused.Open(), 1)
			for _, text := range []string{Text(unused, strings.ToLower), Markdown(unused, strings.ToLower)} {
				assert.Contains(t, text, "unused waiver of rule "+rule.ID+" for b: remove it")
			}
		})
	}
}

func TestAMutatedGraphViolatesTheRule(t *testing.T) {
	t.Parallel()
	resources := graph(t, "public-and-private")
	for i, r := range resources {
		if r.Name == "network-endpoints-https" {
			resources[i].Map["cidrIpv4"] = "0.0.0.0/0"
		}
	}
	assert.Equal(t, []string{"open-ingress network-endpoints-https"}, broken(Check(resources, nil)))
}

func TestANodePoolIsJudgedByTheAnnotationOfItsMetadataService(t *testing.T) {
	t.Parallel()
	for value, violates := range map[any]bool{nil: true, "optional": true, "Required": true, "required": false} {
		annotations := map[string]any{}
		if value != nil {
			annotations[hypershift.HTTPTokensAnnotation] = value
		}
		pool := props.Resource{
			Name: "pool", Type: typeNodePool,
			Map: map[string]any{"metadata": map[string]any{"annotations": annotations}},
		}
		assert.Equal(t, violates, len(broken(Check([]props.Resource{pool}, nil))) == 1, value)
	}
}

func TestRulesCorrespondToKnownChecks(t *testing.T) {
	t.Parallel()
	for _, rule := range Rules() {
		assert.True(t, len(rule.Checks) > 0 || rule.NeedsOptions(), rule.ID)
		assert.NotEmpty(t, rule.Remedy, rule.ID)
		assert.True(t, strings.HasSuffix(rule.Title, "."), rule.ID)
	}
}

func TestADocumentThatIsNotKnownYetIsNamed(t *testing.T) {
	t.Parallel()
	r := props.Resource{Name: "a", Type: awstype.Role, Map: map[string]any{"assumeRolePolicy": Unknown, "tags": someTags}}
	report := Check([]props.Resource{r}, nil)
	assert.Equal(t, []string{"a"}, report.Unchecked)
	assert.Contains(t, Text(report, strings.ToLower), "1 policy documents are known only after the update")
	assert.Contains(t, Markdown(report, strings.ToLower), "1 policy documents are known only after the update")
}

func TestAWaiverNeedsAKnownRuleAndAReason(t *testing.T) {
	t.Parallel()
	require.NoError(t, ValidateWaivers("waivers", []forecast.PolicyWaiver{{
		Rule:   "open-ingress",
		Reason: "a bastion of a trial",
	}}))
	err := ValidateWaivers("waivers", []forecast.PolicyWaiver{{Rule: "open-egress"}})
	assert.ErrorContains(t, err, `waivers[0]: rule "open-egress" is not one of administrator, bucket-public-read`)
	assert.ErrorContains(t, err, "has no reason")
}
