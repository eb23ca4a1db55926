package iam

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// The files in testdata/hypershift are the trust and inline policies that HyperShift's CLI creates, with placeholders
// in capitals.
type hypershiftRole struct {
	Trust          any            `json:"trust"`
	InlinePolicies map[string]any `json:"inlinePolicies"`
}

// placeholders returns the scope with placeholders for the values that the files do not fix.
func placeholders() scope {
	return scope{
		Location:      location.Location{Partition: "aws", Account: "ACCOUNT_ID", Region: "REGION"},
		workerRoleARN: "arn:aws:iam::ACCOUNT_ID:role/INFRA_ID-worker-role",
		ingressZoneARNs: []string{
			"arn:aws:route53:::hostedzone/PUBLIC_ZONE_ID",
			"arn:aws:route53:::hostedzone/PRIVATE_ZONE_ID",
		},
		localZoneARN: "arn:aws:route53:::hostedzone/LOCAL_ZONE_ID",
		kmsKeyARN:    "KMS_KEY_ARN",
	}
}

// narrowed returns the resources to which this project limits policies in which HyperShift's CLI has wildcards.
func narrowed() map[string]string {
	names := map[string]string{
		"arn:*:iam::*:role/*":                  "arn:aws:iam::ACCOUNT_ID:role/INFRA_ID-worker-role",
		"arn:*:iam::*:instance-profile/*":      "arn:aws:iam::ACCOUNT_ID:instance-profile/*",
		"arn:*:ssm:*::parameter/aws/service/*": "arn:aws:ssm:REGION::parameter/aws/service/*",
		"arn:*:ec2:*::image/*":                 "arn:aws:ec2:REGION::image/*",
		"arn:*:ec2:*::snapshot/*":              "arn:aws:ec2:REGION::snapshot/*",
		"arn:*:ec2:*:*:security-group/*":       "arn:aws:ec2:REGION:*:security-group/*",
		"arn:*:ec2:*:*:subnet/*":               "arn:aws:ec2:REGION:*:subnet/*",
		"arn:*:iam::*:role/*-worker-role":      "arn:aws:iam::ACCOUNT_ID:role/INFRA_ID-worker-role",
		"arn:*:iam::*:role/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing": "arn:aws:iam::ACCOUNT_ID:role/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing",
	}
	for _, made := range []string{"fleet", "instance", "volume", "network-interface", "launch-template",
		"spot-instances-request"} {
		names["arn:*:ec2:*:*:"+made+"/*"] = "arn:aws:ec2:REGION:ACCOUNT_ID:" + made + "/*"
	}
	return names
}

func TestPoliciesEqualHyperShiftsExceptForNarrowerResources(t *testing.T) {
	t.Parallel()
	for _, spec := range roleSpecs() {
		t.Run(spec.suffix, func(t *testing.T) {
			t.Parallel()
			want := readRole(t, spec.suffix).InlinePolicies["INFRA_ID-"+spec.suffix]
			got := spec.policy(placeholders()).JSON()
			require.Empty(t, cmp.Diff(statements(t, want, narrowed()), statements(t, parse(t, got), nil)))
		})
	}
}

func TestTrustIsHyperShiftsAndRequiresTheAudience(t *testing.T) {
	t.Parallel()
	const issuer = "ISSUER_HOST_AND_PATH"
	for _, spec := range roleSpecs() {
		t.Run(spec.suffix, func(t *testing.T) {
			t.Parallel()
			want := statements(t, readRole(t, spec.suffix).Trust, nil)
			for i := range want {
				want[i] = strings.Replace(want[i], `{"`+issuer+":sub", fmt.Sprintf(`{"%s:aud":["openshift","sts.amazonaws.com"],"%s:sub`, issuer, issuer), 1)
			}
			trust := trustPolicy("arn:aws:iam::ACCOUNT_ID:oidc-provider/"+issuer, "https://"+issuer, spec.serviceAccounts)
			require.Empty(t, cmp.Diff(want, statements(t, parse(t, trust.JSON()), nil)))
		})
	}
}

func TestWorkerPolicyIsHyperShifts(t *testing.T) {
	t.Parallel()
	want := readRole(t, "worker-role").InlinePolicies["INFRA_ID-worker-policy"]
	require.Empty(t, cmp.Diff(statements(t, want, nil), statements(t, parse(t, workerPolicy().JSON()), nil)))
}

func TestOnlyTheClustersQueueIsReadIfThereIsOne(t *testing.T) {
	t.Parallel()
	s := placeholders()
	for name, document := range map[string]func(scope) policy.Document{
		"node-pool": nodePoolManagementPolicy,
		"karpenter": karpenterPolicy,
	} {
		actions := map[bool][]string{}
		for _, limited := range []bool{false, true} {
			resource := everything
			if s.queueARN = ""; limited {
				s.queueARN = "arn:aws:sqs:REGION:ACCOUNT_ID:INFRA_ID-interruptions"
				resource = s.queueARN
			}
			for _, statement := range document(s).Statement {
				for _, action := range statement.Action {
					actions[limited] = append(actions[limited], action)
					if strings.HasPrefix(action, "sqs:") {
						require.Equal(t, resource, strings.Join(statement.Resource, " "), name)
					}
				}
			}
			slices.Sort(actions[limited])
		}
		require.Equal(t, actions[false], actions[true], name)
	}
}

func TestNoZonePermissionWithoutTheZone(t *testing.T) {
	t.Parallel()
	s := placeholders()
	s.localZoneARN = ""
	require.NotContains(t, controlPlaneOperatorPolicy(s).JSON(), "route53:ChangeResourceRecordSets")
	s.ingressZoneARNs = s.ingressZoneARNs[1:]
	require.NotContains(t, ingressPolicy(s).JSON(), "PUBLIC_ZONE_ID")
}

// A wildcard is allowed as the whole of a resource, where HyperShift's own policy has it, at the end of the
// two KMS actions that have no finer name, and for all resources of a type that Karpenter creates or uses.
func TestWildcardsInResourcesAreLimited(t *testing.T) {
	t.Parallel()
	for _, spec := range roleSpecs() {
		for _, statement := range spec.policy(placeholders()).Statement {
			for _, resource := range statement.Resource {
				if resource != everything && spec.name != RoleKarpenter {
					require.NotContains(t, resource, "*", spec.suffix)
				}
			}
			for _, action := range statement.Action {
				if strings.Contains(action, "*") {
					require.Contains(t, []string{"kms:ReEncrypt*", "kms:GenerateDataKey*"}, action, spec.suffix)
				}
			}
		}
	}
}

func TestInlinePoliciesFitTheQuotaOfARole(t *testing.T) {
	t.Parallel()
	const quota = 10240
	for _, spec := range roleSpecs() {
		require.Less(t, len(spec.policy(placeholders()).JSON()), quota, spec.suffix)
	}
}

func readRole(t *testing.T, suffix string) hypershiftRole {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "hypershift", suffix+".json"))
	require.NoError(t, err)
	var role hypershiftRole
	require.NoError(t, json.Unmarshal(text, &role))
	return role
}

func parse(t *testing.T, text string) any {
	t.Helper()
	var document any
	require.NoError(t, json.Unmarshal([]byte(text), &document))
	return document
}

// statements returns a document's statements in a normalized form, because IAM reads "x" as ["x"], true as "true",
// and lists as sets.
func statements(t *testing.T, document any, rename map[string]string) []string {
	t.Helper()
	var out []string
	for _, statement := range document.(map[string]any)["Statement"].([]any) {
		fields := statement.(map[string]any)
		delete(fields, "Sid")
		for key, value := range fields {
			if key == "Condition" {
				for _, operator := range value.(map[string]any) {
					for name, values := range operator.(map[string]any) {
						operator.(map[string]any)[name] = set(values, nil)
					}
				}
			} else if key != "Effect" && key != "Principal" {
				fields[key] = set(value, rename)
			}
		}
		text, err := json.Marshal(fields)
		require.NoError(t, err)
		out = append(out, string(text))
	}
	return out
}

func set(value any, rename map[string]string) []string {
	values, many := value.([]any)
	if !many {
		values = []any{value}
	}
	var out []string
	for _, v := range values {
		text := fmt.Sprint(v)
		if renamed, ok := rename[text]; ok {
			text = renamed
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
