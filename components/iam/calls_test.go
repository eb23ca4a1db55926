package iam

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

func recorded(t *testing.T) map[string]recordedCalls {
	t.Helper()
	roles, err := readCalls()
	require.NoError(t, err)
	for suffix, role := range roles {
		for action, place := range role.Calls {
			operator, at, found := strings.Cut(place, " ")
			require.True(t, found && strings.Contains(at, ".go:"), "%s: %s: %s", suffix, action, place)
			require.NotEmpty(t, role.Operators[operator].Commit, "%s: %s: %s", suffix, action, place)
		}
	}
	return roles
}

// covers reports whether an action of a policy, which may end in *, is the other action.
func covers(action, other string) bool {
	if prefix, wildcard := strings.CutSuffix(action, "*"); wildcard {
		return strings.HasPrefix(strings.ToLower(other), strings.ToLower(prefix))
	}
	return strings.EqualFold(action, other)
}

// neededBy returns an action's reason, "" if nothing needs it.
func (r recordedCalls) neededBy(action string) string {
	for _, other := range slices.Sorted(maps.Keys(r.needed())) {
		if covers(action, other) || covers(other, action) {
			return r.needed()[other]
		}
	}
	return ""
}

func allows(document policy.Document, action string) bool {
	return policy.Evaluate(policy.Request{Action: action, Partial: true}, document) == policy.Allowed
}

func TestEachRolesPolicyAllowsTheCallsOfItsOperators(t *testing.T) {
	t.Parallel()
	roles := recorded(t)
	for _, spec := range roleSpecs() {
		t.Run(spec.suffix, func(t *testing.T) {
			t.Parallel()
			role, found := roles[spec.suffix]
			require.True(t, found, "nothing is recorded of this role")
			for action, place := range role.needed() {
				_, lacks := role.Lacking[action]
				require.Equal(t, !lacks, allows(spec.policy(placeholders()), action), "%s: %s", action, place)
			}
			for action := range role.Lacking {
				require.Contains(t, role.needed(), action)
			}
		})
	}
}

// Single actions that no call needs are listed with a reason; of whole statements, at most a tenth has only such
// actions.
func TestEachStatementIsNeededByACall(t *testing.T) {
	t.Parallel()
	roles := recorded(t)
	statements, unneeded := 0, []string{}
	for _, spec := range roleSpecs() {
		role := roles[spec.suffix]
		listed := maps.Clone(role.Uncalled)
		for _, statement := range spec.policy(placeholders()).Statement {
			needed := false
			for _, action := range statement.Action {
				reason, uncalled := role.Uncalled[action]
				require.Equal(t, role.neededBy(action) == "", uncalled && reason != "",
					"%s: %s: either a call needs it, or it is listed as uncalled with a reason", spec.suffix, action)
				needed = needed || !uncalled
				delete(listed, action)
			}
			if statements++; !needed {
				unneeded = append(unneeded, fmt.Sprint(spec.suffix, statement.Action))
			}
		}
		require.Empty(t, listed, "%s: these are not in the policy", spec.suffix)
	}
	require.LessOrEqual(t, len(unneeded)*10, statements, "%v", unneeded)
}

// scopedPlaceholders returns a scope for limited policies.
func scopedPlaceholders() scope {
	s := placeholders()
	s.infraID, s.vpcID, s.queueARN = "INFRA_ID", "vpc-1", "arn:aws:sqs:REGION:ACCOUNT_ID:INFRA_ID-interruptions"
	s.kmsKeyARN = keyARN
	return s
}

// scopedPolicy returns a role's policy with RoleOptions.Scoped.
func scopedPolicy(spec roleSpec) policy.Document {
	if spec.scoped != nil {
		return spec.scoped(scopedPlaceholders())
	}
	return spec.policy(scopedPlaceholders())
}

// Scoped policies allow every call, also those that HyperShift's policies lack, and at most a tenth of their actions
// has no call.
func TestScopedPoliciesAllowWhatIsCalledAndLittleElse(t *testing.T) {
	t.Parallel()
	roles := recorded(t)
	all, uncalled := 0, map[string]string{}
	for _, spec := range roleSpecs() {
		role, document := roles[spec.suffix], scopedPolicy(spec)
		for action, place := range role.needed() {
			if _, lacks := role.Lacking[action]; lacks && spec.scoped == nil {
				continue
			}
			require.True(t, allows(document, action), "%s: %s: %s", spec.suffix, action, place)
		}
		actions := map[string]bool{}
		for _, statement := range document.Statement {
			for _, action := range statement.Action {
				actions[action] = true
			}
		}
		all += len(actions)
		for action := range actions {
			if role.neededBy(action) == "" {
				uncalled[spec.suffix+" "+action] = role.Uncalled[action]
			}
		}
	}
	for action, reason := range uncalled {
		require.NotEmpty(t, reason, action)
	}
	require.LessOrEqual(t, len(uncalled)*10, all, "%v", uncalled)
}

// target is a resource of a call that changes something.
type target struct {
	arn string
	// created is true for a resource that the call creates, which has the request's tags.
	created bool
}

const (
	ec2ARN = "arn:aws:ec2:REGION:ACCOUNT_ID:"
	keyARN = "arn:aws:kms:REGION:ACCOUNT_ID:key/ETCD"
)

// touched returns the resources that a call acts on, by role and action. AWS evaluates each of them.
func touched() map[string][]target {
	existing := func(names ...string) (all []target) {
		for _, name := range names {
			all = append(all, target{arn: ec2ARN + name})
		}
		return all
	}
	created := func(names ...string) []target {
		all := existing(names...)
		for i := range all {
			all[i].created = true
		}
		return all
	}
	balancing := func(created bool, name string) []target {
		return []target{{arn: "arn:aws:elasticloadbalancing:REGION:ACCOUNT_ID:" + name, created: created}}
	}
	const volume, snapshot, instance, group, nic = "volume/vol-1", "snapshot/snap-1", "instance/i-1", "security-group/sg-1", "network-interface/eni-1"
	const balancer, targets, listener = "loadbalancer/net/a/1", "targetgroup/a/1", "listener/net/a/1/2"
	table := map[string][]target{
		"aws-ebs-csi-driver-controller ec2:CreateVolume":               created(volume),
		"aws-ebs-csi-driver-controller ec2:CopyVolumes":                created("volume/vol-2"),
		"aws-ebs-csi-driver-controller ec2:CreateSnapshot":             append(existing(volume), created(snapshot)...),
		"aws-ebs-csi-driver-controller ec2:DeleteVolume":               existing(volume),
		"aws-ebs-csi-driver-controller ec2:ModifyVolume":               existing(volume),
		"aws-ebs-csi-driver-controller ec2:DeleteSnapshot":             existing(snapshot),
		"aws-ebs-csi-driver-controller ec2:LockSnapshot":               existing(snapshot),
		"aws-ebs-csi-driver-controller ec2:EnableFastSnapshotRestores": existing(snapshot),
		"aws-ebs-csi-driver-controller ec2:AttachVolume":               existing(volume, instance),
		"aws-ebs-csi-driver-controller ec2:DetachVolume":               existing(volume, instance),
		"aws-ebs-csi-driver-controller ec2:CreateTags":                 existing(volume, snapshot),
		"aws-ebs-csi-driver-controller ec2:DeleteTags":                 existing(volume, snapshot),

		"cloud-controller ec2:CreateSecurityGroup":           append(existing("vpc/VPC"), created(group)...),
		"cloud-controller ec2:AuthorizeSecurityGroupIngress": existing(group),
		"cloud-controller ec2:RevokeSecurityGroupIngress":    existing(group),
		"cloud-controller ec2:DeleteSecurityGroup":           existing(group),
		"cloud-controller ec2:CreateTags":                    existing(group),

		"cloud-controller elasticloadbalancing:CreateLoadBalancer": balancing(true, balancer),
		"cloud-controller elasticloadbalancing:CreateTargetGroup":  balancing(true, targets),
		"cloud-controller elasticloadbalancing:DeleteListener":     balancing(false, listener),
		"cloud-controller elasticloadbalancing:ModifyListener":     balancing(false, listener),
		"node-pool ec2:RunInstances": append(existing("subnet/subnet-1", group),
			created(instance, volume, nic)...),
		"node-pool ec2:TerminateInstances":              existing(instance),
		"node-pool ec2:ModifyInstanceMetadataOptions":   existing(instance),
		"node-pool ec2:ModifyNetworkInterfaceAttribute": existing(nic, group),
		"node-pool ec2:CreateTags":                      existing(instance, volume, nic),
		"node-pool ec2:DeleteTags":                      existing(instance, volume, nic),
		"control-plane-operator ec2:CreateVpcEndpoint": append(existing("vpc/VPC", "subnet/subnet-1", group),
			created("vpc-endpoint/vpce-1")...),
		"control-plane-operator ec2:ModifyVpcEndpoint":             existing("vpc-endpoint/vpce-1", "subnet/subnet-1", group),
		"control-plane-operator ec2:DeleteVpcEndpoints":            existing("vpc-endpoint/vpce-1"),
		"control-plane-operator ec2:CreateSecurityGroup":           append(existing("vpc/VPC"), created(group)...),
		"control-plane-operator ec2:AuthorizeSecurityGroupIngress": existing(group),
		"control-plane-operator ec2:AuthorizeSecurityGroupEgress":  existing(group),
		"control-plane-operator ec2:RevokeSecurityGroupIngress":    existing(group),
		"control-plane-operator ec2:RevokeSecurityGroupEgress":     existing(group),
		"control-plane-operator ec2:DeleteSecurityGroup":           existing(group),
		"control-plane-operator ec2:CreateTags":                    existing(group),
		"control-plane-operator ec2:DeleteTags":                    existing(group),
		"control-plane-operator route53:ChangeResourceRecordSets":  {{arn: "arn:aws:route53:::hostedzone/LOCAL_ZONE_ID"}},
		"openshift-ingress route53:ChangeResourceRecordSets":       {{arn: "arn:aws:route53:::hostedzone/PRIVATE_ZONE_ID"}},
		"node-pool sqs:DeleteMessage": {{
			arn: "arn:aws:sqs:REGION:ACCOUNT_ID:INFRA_ID-interruptions",
		}},
		"node-pool sqs:ReceiveMessage": {{
			arn: "arn:aws:sqs:REGION:ACCOUNT_ID:INFRA_ID-interruptions",
		}},
		"kms-provider kms:Encrypt":          {{arn: keyARN}},
		"kms-provider kms:Decrypt":          {{arn: keyARN}},
		"kms-provider kms:ReEncrypt*":       {{arn: keyARN}},
		"kms-provider kms:GenerateDataKey*": {{arn: keyARN}},
		"node-pool iam:PassRole": {{
			arn: "arn:aws:iam::ACCOUNT_ID:role/INFRA_ID-worker-role",
		}},
	}
	for _, action := range []string{"AddTags", "ApplySecurityGroupsToLoadBalancer", "AttachLoadBalancerToSubnets",
		"ConfigureHealthCheck", "CreateListener",
		"CreateLoadBalancerListeners", "CreateLoadBalancerPolicy", "DeleteLoadBalancer", "DeleteLoadBalancerListeners",
		"DeregisterInstancesFromLoadBalancer",
		"DetachLoadBalancerFromSubnets", "ModifyLoadBalancerAttributes", "RegisterInstancesWithLoadBalancer",
		"SetLoadBalancerPoliciesForBackendServer",
		"SetLoadBalancerPoliciesOfListener", "SetSecurityGroups"} {
		table["cloud-controller elasticloadbalancing:"+action] = balancing(false, balancer)
	}
	for _, action := range []string{"DeleteTargetGroup", "DeregisterTargets", "ModifyTargetGroup",
		"ModifyTargetGroupAttributes", "RegisterTargets"} {
		table["cloud-controller elasticloadbalancing:"+action] = balancing(false, targets)
	}
	for _, action := range []string{"AssignIpv6Addresses", "AssignPrivateIpAddresses", "UnassignIpv6Addresses",
		"UnassignPrivateIpAddresses"} {
		table["cloud-network-config-controller ec2:"+action] = existing(nic)
	}
	for _, action := range []string{"CreateBucket", "DeleteBucket", "PutBucketTagging", "PutBucketPublicAccessBlock",
		"PutEncryptionConfiguration", "PutLifecycleConfiguration"} {
		table["openshift-image-registry s3:"+action] = []target{{arn: "arn:aws:s3:::INFRA_ID-image-registry-REGION-x"}}
	}
	for _, action := range []string{"PutObject", "DeleteObject", "AbortMultipartUpload"} {
		table["openshift-image-registry s3:"+action] = []target{{arn: "arn:aws:s3:::INFRA_ID-image-registry-REGION-x/layer"}}
	}
	return table
}

// unlimited are the calls of scoped policies that change something and that AWS cannot limit to a cluster.
var unlimited = map[string]string{
	"kms:Decrypt":                         "keys belong to storage classes and node pools; only EC2 uses them for the caller",
	"kms:ReEncrypt*":                      "as kms:Decrypt",
	"kms:GenerateDataKeyWithoutPlaintext": "as kms:Decrypt",
	"kms:CreateGrant":                     "as kms:Decrypt; only for AWS's services",
	"iam:CreateServiceLinkedRole":         "the role belongs to the account",
}

// request returns the request for one resource, of the own cluster or of another one in the account. The caller sets
// the own cluster's tag in both.
func (r target) request(action string, own bool) policy.Request {
	cluster, vpc, arn := "INFRA_ID", "vpc-1", r.arn
	if !own {
		cluster, vpc = "OTHER", "vpc-2"
		arn = strings.NewReplacer("INFRA_ID", "OTHER", "ZONE_ID", "OTHER_ZONE", "key/ETCD", "key/OTHER").Replace(arn)
	}
	arn = strings.Replace(arn, "vpc/VPC", "vpc/"+vpc, 1)
	context := map[string][]string{"ec2:Vpc": {ec2ARN + "vpc/" + vpc}, "iam:PassedToService": {"ec2.amazonaws.com"}}
	if r.created {
		context["aws:RequestTag/kubernetes.io/cluster/"+cluster] = []string{"owned"}
	} else {
		context["aws:RequestTag/kubernetes.io/cluster/INFRA_ID"] = []string{"owned"}
		context["aws:ResourceTag/kubernetes.io/cluster/"+cluster] = []string{"owned"}
	}
	return policy.Request{Action: strings.TrimSuffix(action, "*"), Resource: arn, Context: context}
}

// With another cluster's resources each call that changes something is denied, and with the own cluster's it is
// allowed.
func TestScopedPoliciesDenyAnotherClustersResources(t *testing.T) {
	t.Parallel()
	table := touched()
	for _, spec := range roleSpecs() {
		if spec.name == RoleKarpenter {
			continue // its own policy is limited by Karpenter's tags
		}
		document := scopedPolicy(spec)
		for _, statement := range document.Statement {
			for _, action := range statement.Action {
				if _, verb, _ := strings.Cut(action, ":"); strings.HasPrefix(verb, "Describe") || strings.HasPrefix(verb, "Get") ||
					strings.HasPrefix(verb, "List") {
					continue
				}
				key := spec.suffix + " " + action
				if _, excused := unlimited[action]; excused && table[key] == nil {
					continue
				}
				require.NotEmpty(t, table[key], "%s: what does it act on?", key)
				denied := false
				for _, r := range table[key] {
					require.Equal(t, policy.Allowed, policy.Evaluate(r.request(action, true), document), "%s on %s of the own cluster",
						key, r.arn)
					foreign := policy.Evaluate(r.request(action, false), document) != policy.Allowed
					require.True(t, foreign, "%s on %s of another cluster", key, r.arn)
					denied = denied || foreign
				}
				require.True(t, denied)
			}
		}
	}
}

// TestThePageOfPoliciesShowsTheCallsBehindThem writes the table of docs/appendix/policies.md.
func TestThePageOfPoliciesShowsTheCallsBehindThem(t *testing.T) {
	t.Parallel()
	roles := recorded(t)
	var b strings.Builder
	all, uncalled := 0, 0
	for _, spec := range roleSpecs() {
		role, limits := roles[spec.suffix], limitsOf(scopedPolicy(spec))
		fmt.Fprintf(&b, "\n### `%s`\n\n", spec.suffix)
		for _, name := range slices.Sorted(maps.Keys(role.Operators)) {
			source := role.Operators[name]
			fmt.Fprintf(&b, "`%s` is %s at `%s`.\n", name, source.Repository, source.Commit)
		}
		b.WriteString("\n| action | needed by | with `scoped` |\n|---|---|---|\n")
		row := func(action string) string {
			switch {
			case role.neededBy(action) != "":
				return code(role.neededBy(action))
			default:
				return "no call: " + role.Uncalled[action]
			}
		}
		seen := map[string]bool{}
		for _, statement := range spec.policy(placeholders()).Statement {
			for _, action := range statement.Action {
				if seen[action] {
					continue
				}
				seen[action] = true
				all++
				if _, none := role.Uncalled[action]; none {
					uncalled++
				}
				limit := "left out"
				for of, text := range limits {
					if covers(of, action) || covers(action, of) {
						limit = text
					}
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", action, row(action), limit)
			}
		}
		for _, action := range slices.Sorted(maps.Keys(role.Lacking)) {
			limit := "not in the policy either"
			for of, text := range limits {
				if covers(of, action) {
					limit = text
				}
			}
			fmt.Fprintf(&b, "| `%s`, which HyperShift's policy lacks | %s: %s | %s |\n", action, code(role.needed()[action]), role.Lacking[action], limit)
		}
	}
	text := fmt.Sprintf("Of %d actions in HyperShift's policies, no call needs %d.\n%s", all, uncalled, b.String())
	golden.RequireSection(t, filepath.Join("..", "..", "docs", "appendix", "policies.md"), "<!-- calls -->\n",
		"<!-- end of calls -->", text)
}

// code formats the place of a call, and leaves sentences as they are.
func code(reason string) string {
	if strings.Contains(reason, ".go:") {
		return "`" + reason + "`"
	}
	return reason
}

// limitsOf returns how a document limits each action, in words.
func limitsOf(document policy.Document) map[string]string {
	limits := map[string][]string{}
	for _, statement := range document.Statement {
		text := "any resource"
		switch {
		case statement.Condition["StringEquals"]["aws:ResourceTag/kubernetes.io/cluster/INFRA_ID"] != nil:
			text = "resources with the cluster's tag"
		case statement.Condition["StringEquals"]["aws:RequestTag/kubernetes.io/cluster/INFRA_ID"] != nil:
			text = "new resources with the cluster's tag"
		case statement.Condition["ArnEquals"]["ec2:Vpc"] != nil:
			text = "resources in the cluster's VPC"
		case len(statement.Condition) > 0:
			var keys []string
			for _, operator := range statement.Condition {
				keys = append(keys, slices.Collect(maps.Keys(operator))...)
			}
			slices.Sort(keys)
			text = "`" + strings.Join(keys, "`, `") + "`"
		case !slices.Contains(statement.Resource, everything):
			var kinds []string
			for _, arn := range statement.Resource {
				kinds = append(kinds, arn[strings.LastIndex(arn, ":")+1:])
			}
			text = "`" + strings.Join(slices.Compact(kinds), "`, `") + "`"
		}
		for _, action := range statement.Action {
			if !slices.Contains(limits[action], text) {
				limits[action] = append(limits[action], text)
			}
		}
	}
	joined := map[string]string{}
	for action, texts := range limits {
		joined[action] = strings.Join(texts, "; ")
	}
	return joined
}
