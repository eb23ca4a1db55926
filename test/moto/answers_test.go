package moto

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// TestTheDocumentListsTheAnswersThatAreNotMotos: test/ledgers/conformance.md has each answer that a judge gets in the
// place of moto's.
func TestTheDocumentListsTheAnswersThatAreNotMotos(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("\n| judge | request | AWS's answer |\n|---|---|---|\n")
	for _, judge := range Judges() {
		seen := map[string]bool{}
		for _, answer := range Answers(judge, nil) {
			require.False(t, seen[answer.Action], "one answer per request: %s", answer.Action)
			seen[answer.Action] = true
			fmt.Fprintf(&table, "| %s | `%s` | %s |\n", judge, answer.Action, answer.AWS)
		}
	}
	golden.RequireSection(t, "../../test/ledgers/conformance.md", "<!-- answers -->", "<!-- end of answers -->",
		table.String())
}

// sent sends a request to EC2 or ELB as the SDK signs it, and returns the status and the answer.
func sent(t *testing.T, address, service, form string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form))
	require.NoError(t, err)
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/"+service+
		"/aws4_request, SignedHeaders=host, Signature=0")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

func TestAProxyChangesTheAnswersOfOneJudgeAndKeepsEveryRequest(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "<DNSName>somewhere</DNSName>")
	}))
	t.Cleanup(server.Close)

	address, calls := watch(t, server.URL, Answers(ClusterAPI, nil))
	_, text := sent(t, address, "elasticloadbalancing", "Action=DescribeLoadBalancers")
	require.Equal(t, "<DNSName>localhost</DNSName>", text)
	_, text = sent(t, address, "ec2", "Action=CreateTags&ResourceId.1=eni-0123456789abcdef0&ResourceId.2=eni-0123456789abcdef1")
	require.Equal(t, "<DNSName>somewhere</DNSName>", text, "moto's own answer")
	require.Equal(t, []string{"ec2:CreateTags", "elasticloadbalancing:DescribeLoadBalancers"}, calls.Actions())
	require.Equal(t, []string{"ec2:CreateTags eni-*", "elasticloadbalancing:DescribeLoadBalancers"}, calls.Named())
	_, _ = sent(t, address, "ec2", "Action=CreateVpcEndpoint&VpcId=vpc-0123456789abcdef0&ServiceName=com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"+
		"&TagSpecification.1.Tag.1.Key=team&TagSpecification.1.Tag.1.Value=a&Filter.1.Name=tag-key")
	require.Equal(t, []string{"ec2:CreateTags A B", "ec2:CreateVpcEndpoint VPC vpce-svc-0123456789abcdef0, tags team=a",
		"elasticloadbalancing:DescribeLoadBalancers"},
		calls.Recorded(strings.NewReplacer("eni-0123456789abcdef0", "B", "eni-0123456789abcdef1", "A",
			"vpc-0123456789abcdef0", "VPC").Replace))
	calls.Forget()
	require.Empty(t, calls.Named())
	require.Empty(t, calls.Recorded(strings.ToLower))

	address, calls = watch(t, server.URL, Answers(HyperShift, nil))
	const endpoint = "&VpcEndpointId.1=vpce-0123456789abcdef0"
	status, _ := sent(t, address, "ec2", "Action=DescribeVpcEndpoints"+endpoint)
	require.Equal(t, http.StatusOK, status)
	_, _ = sent(t, address, "ec2", "Action=DeleteVpcEndpoints"+endpoint)
	status, text = sent(t, address, "ec2", "Action=DescribeVpcEndpoints"+endpoint)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, text, "InvalidVpcEndpointId.NotFound")
	require.Equal(t, []string{"ec2:DeleteVpcEndpoints vpce-*", "ec2:DescribeVpcEndpoints vpce-*"}, calls.Named())

	//nolint:noctx // a request without a signature
	r, err := http.Post(address+"/anything", "text/plain", bytes.NewReader(nil))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Contains(t, calls.Named(), "POST /anything", "a request without an action is kept too")
}
