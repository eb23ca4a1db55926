package lives

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestResourcesNameOnlyTheirOwnPartition(t *testing.T) {
	t.Parallel()
	for _, region := range []string{"us-gov-west-1", "cn-north-1", "eusc-de-east-1"} {
		for _, access := range sizes.First(1, hypershift.EndpointAccesses()) {
			t.Run(region+"-"+string(access), func(t *testing.T) {
				t.Parallel()
				partition := hypershift.Partition(region)
				key := fmt.Sprintf("arn:%s:kms:%s:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab", partition, region)
				boundary := fmt.Sprintf("arn:%s:iam::123456789012:policy/boundary", partition)
				stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: []offline.Seed{
					{Kind: offline.SeedPublicZone, Name: "example.com"}, {Kind: offline.SeedKMSKey, Name: key},
					{Kind: offline.SeedPolicy, Name: boundary},
				}})
				config := stackfile.Cluster{
					Access: access, NAT: network.Single, Zones: stackfile.ZoneNames(2),
					More: fmt.Sprintf("    iam: {permissionsBoundary: %q, karpenter: true, spotServiceLinkedRole: true}\n", boundary),
				}.String()
				config = strings.NewReplacer("us-east-1", region, stackfile.KMSKeyARN, key,
					"interfaceEndpoints: []", "interfaceEndpoints: ["+strings.Join(network.NodeServices(),
						", ")+", kms]").Replace(config)
				stack.Configure(config)
				stack.Up()

				state, err := json.Marshal(stack.State())
				require.NoError(t, err)
				require.NotContains(t, string(state), "arn:aws:", "an ARN of the partition aws")
				require.NotContains(t, string(state), "arn:*:", "an ARN of any partition")
				require.NotContains(t, string(state), "us-east-1")
				require.Contains(t, string(state), "arn:"+partition+":iam::123456789012:role/demo-x1-karpenter")
				require.Empty(t, stack.Up(), "a second up")
				stack.Destroy()
				require.Len(t, stack.Resources(), 1, "the account's own role for spot instances")
			})
		}
	}
}

func TestDomainsAreThoseOfThePartition(t *testing.T) {
	t.Parallel()
	for region, suffix := range map[string]string{"us-gov-west-1": "amazonaws.com", "cn-north-1": "amazonaws.com.cn"} {
		t.Run(region, func(t *testing.T) {
			t.Parallel()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{})
			config := stackfile.Cluster{Access: hypershift.Private, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String()
			config = strings.ReplaceAll(config, "    kmsKeyARN: "+stackfile.KMSKeyARN+"\n", "")
			stack.Configure(strings.ReplaceAll(config, "us-east-1", region))
			stack.Up()
			output, _ := iamOutput(t, stack)
			require.Equal(t, "https://demo-oidc.s3."+region+"."+suffix+"/demo-x1", output.IssuerURL)
			for _, r := range stack.Custom() {
				if r.URN.Name() == "workers-role" && r.Type == "aws:iam/role:Role" {
					require.Contains(t, r.Inputs["assumeRolePolicy"], `"ec2.`+suffix+`"`)
				}
				if r.Type == "aws:ec2/vpcDhcpOptions:VpcDhcpOptions" {
					require.Equal(t, region+".compute.internal", r.Inputs["domainName"])
				}
			}
		})
	}
}

func TestROSAPoliciesAreRefusedInPartitionsWithoutThem(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{})
	config := stackfile.Cluster{
		Access: hypershift.Private, NAT: network.Single, Zones: stackfile.ZoneNames(1),
		More: "    iam: {managedPolicies: true}\n",
	}.String()
	config = strings.ReplaceAll(config, "    kmsKeyARN: "+stackfile.KMSKeyARN+"\n", "")
	stack.Configure(strings.ReplaceAll(config, "us-east-1", "cn-north-1"))
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, `managedPolicies: "arn:aws-cn:iam::aws:policy/service-role/ROSAWorkerInstancePolicy" cannot be looked up`)
}
