package clusterstatus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

func (s *Reading) find(f finding.Finding) { s.Findings = append(s.Findings, f) }

// dependsOn returns the types of AWS resources without which a condition is not met.
func dependsOn(condition string) []string {
	switch condition {
	case "ValidOIDCConfiguration":
		return []string{awstype.OIDCProvider, awstype.Bucket}
	case "ValidAWSIdentityProvider", "CloudResourcesDestroyed":
		return []string{awstype.OIDCProvider, awstype.Role}
	case "ValidAWSKMSConfig", "EtcdDataEncryptionUpToDate":
		return []string{awstype.KMSKey, awstype.Role, awstype.OIDCProvider}
	case "AWSDefaultSecurityGroupCreated":
		return []string{awstype.VPC, awstype.Role, awstype.OIDCProvider}
	case "AWSEndpointAvailable", "AWSEndpointServiceAvailable":
		return []string{awstype.VPCEndpointService, awstype.VPCEndpoint, awstype.HostedZone, awstype.Subnet, awstype.Role,
			awstype.OIDCProvider}
	case "ReachedIgnitionEndpoint", "AllNodesHealthy", "DataPlaneConnectionAvailable", "ControlPlaneConnectionAvailable",
		"ClusterVersionAvailable", "Ready":
		return []string{awstype.NATGateway, awstype.InternetGateway, awstype.RouteTable, awstype.Subnet}
	case "AllMachinesReady", "ValidPlatformConfig":
		return []string{awstype.InstanceProfile, awstype.Subnet, awstype.Role, awstype.OIDCProvider}
	}
	return nil
}

// Judge derives findings from what was read, and sets the verdict. missing returns the stack's resources of some types
// that AWS no longer has.
func (s *Reading) Judge(missing func(tokens []string) []apitype.ResourceV3) {
	unmet := s.expect()
	for i := range s.Objects {
		for _, c := range unmet[&s.Objects[i]] {
			s.find(s.explain(s.Objects[i], c, missing))
		}
	}
	for _, behind := range s.behind {
		s.find(finding.Finding{
			Severity: finding.Warning, Subject: behind.kind + " " + behind.namespace + "/" + behind.name,
			Problem: behind.problem,
			Remedy:  "check its operator in the management cluster if this lasts for more than a few minutes",
		})
	}
	s.judgeMachines()
	s.judgeSubnets()
	s.judgePaused()
	for _, f := range s.AWS {
		if f.Expected || f.Type == awstype.Instance && f.State == "pending" {
			continue
		}
		one := finding.Finding{
			Severity: finding.Error,
			Subject:  f.Kind + " " + strings.TrimSpace(f.ID+" "+f.Name),
			Problem:  "is " + f.State,
		}
		switch f.Type {
		case awstype.TargetGroup:
			one.Severity, one.Problem = finding.Warning, "has "+f.State
		case awstype.VPCEndpoint:
			if strings.EqualFold(f.State, "pendingAcceptance") {
				one.Remedy = "accept the connection in the management account: `aws ec2 accept-vpc-endpoint-connections`"
			}
		case awstype.Instance:
			one.Severity = finding.Warning
		}
		s.find(one)
	}
	s.Findings = mergeCauses(s.Findings)
	slices.SortStableFunc(s.Findings, func(a, b finding.Finding) int {
		return strings.Compare(string(a.Severity), string(b.Severity))
	})
	s.decide()
}

// explain returns the finding about a condition, with the stack's resources that are missing in AWS as its cause.
func (s *Reading) explain(
	o status.Object,
	c status.Condition,
	missing func([]string) []apitype.ResourceV3,
) finding.Finding {
	f := finding.Finding{
		Severity: finding.Error,
		Subject:  fmt.Sprintf("%s %s/%s", o.Kind, o.Namespace, o.Name),
		Problem:  c.Type + " is " + conditionText(&c),
	}
	if temporary(c) {
		f.Severity = finding.Warning
	}
	var causes []string
	for _, r := range missing(dependsOn(c.Type)) {
		causes = append(causes, fmt.Sprintf("the stack's %s %s does not exist in AWS", TypeLabel(string(r.Type)), r.ID))
	}
	if len(causes) > 0 {
		f.Severity, f.Cause = finding.Error, strings.Join(causes, ", and ")
		f.Remedy = fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which creates it", s.Stack, s.Stack)
	}
	if (c.Type == "ValidOIDCConfiguration" ||
		c.Type == "ValidAWSIdentityProvider") && len(causes) == 0 && s.Documents != nil {
		if problem, remedy := s.Documents(); problem != "" {
			f.Severity, f.Cause, f.Remedy = finding.Error, problem, remedy
		}
	}
	return f
}

// judgeMachines finds instances that run but haven't become nodes. Their console output shows why.
func (s *Reading) judgeMachines() {
	var running []status.Fact
	for _, f := range s.AWS {
		if f.Type == awstype.Instance && f.State == "running" {
			running = append(running, f)
		}
	}
	switch {
	case s.Kind == crd.HostedCluster && s.NodesWanted > s.Nodes && int64(len(running)) > s.Nodes:
		s.find(finding.Finding{
			Severity: finding.Warning, Subject: "nodes",
			Problem: fmt.Sprintf("%s of the cluster run in AWS, but %d are nodes", report.Number(len(running), "instance"),
				s.Nodes),
			Remedy: fmt.Sprintf("read what an instance prints while it starts: `aws ec2 get-console-output --latest --output text --region %s --instance-id %s`", running[0].Region,
				running[0].ID),
		})
	case s.Kind == crd.HostedCluster && s.NodesWanted > s.Nodes:
		s.find(finding.Finding{Severity: finding.Warning, Subject: "nodes",
			Problem: fmt.Sprintf("%d of %d nodes, and %s run in AWS", s.Nodes, s.NodesWanted,
				report.Number(len(running), "instance"))})
	}
}

// judgeSubnets finds node pools whose subnet an AWSEndpointService does not have: HyperShift's operator lists those of
// all pools there, and its endpoint has an interface in each of their zones, without which new nodes may not reach the
// control plane. Source: reconcileAWSEndpointServiceSubnetIDs in hypershift-operator/controllers/platform/aws.
func (s *Reading) judgeSubnets() {
	for _, service := range slices.Sorted(maps.Keys(s.covered)) {
		for _, pool := range slices.Sorted(maps.Keys(s.subnets)) {
			if subnet := s.subnets[pool]; !slices.Contains(s.covered[service], subnet) {
				s.find(finding.Finding{
					Severity: finding.Warning, Subject: crd.EndpointService + " " + service,
					Problem: "its spec.subnetIDs lack " + subnet + ", the subnet of NodePool " + pool,
					Remedy:  "HyperShift's operator adds it: check its log in the management cluster if it stays away",
				})
			}
		}
	}
}

// mergeCauses leaves the cause and the remedy to the first of several findings with the same, so that a page names each
// once.
func mergeCauses(findings []finding.Finding) []finding.Finding {
	seen := map[string]string{}
	for i := range findings {
		f := &findings[i]
		if f.Cause == "" {
			continue
		}
		if first, known := seen[f.Cause]; known {
			f.Cause, f.Remedy = "the cause is that of "+first, ""
		} else {
			seen[f.Cause], _, _ = strings.Cut(f.Problem, " is ")
		}
	}
	return findings
}

// decide sets the verdict.
func (s *Reading) decide() {
	s.Verdict = status.Ready
	if s.PausedSince != "" {
		s.Why = fmt.Sprintf("its nodes are paused since %s; `hypershift-aws resume -s %s` starts %d at most", s.PausedSince,
			s.Stack,
			s.NodesPaused)
	}
	if s.Kind == "" {
		s.Verdict, s.Why = status.Absent, cmp.Or(s.Described, "the stack applies no cluster")
	}
	if len(s.Stages) > 0 {
		s.Verdict, s.Why = status.Progressing, "not complete yet: "+s.Stages[0]
	}
	for _, f := range s.Findings {
		verdict := status.Progressing
		switch {
		case f.Severity == finding.Error:
			verdict = status.Failing
		case f.Unread:
			verdict = status.Unknown
		}
		if verdict.Worse(s.Verdict) < 0 {
			s.Verdict, s.Why = verdict, f.Subject+": "+f.Problem
			if f.Cause != "" {
				s.Why += "; " + f.Cause
			}
		}
	}
}
