package iam

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// callsFile has the calls of the operators that assume a role, read in their sources.
//
//go:embed calls.json
var callsFile embed.FS

// recordedCalls are the calls of the operators of one role.
type recordedCalls struct {
	// Operators maps the name of an operator to its source.
	Operators map[string]struct{ Repository, Commit string }
	// Calls maps an action to the place of a call that needs it, "<operator> <file>:<line>".
	Calls map[string]string
	// ForCaller maps an action that AWS requires of the caller of another action to the reason.
	ForCaller map[string]string
	// Uncalled maps an action of HyperShift's policy that no call needs to the reason.
	Uncalled map[string]string
	// Lacking maps an action that HyperShift's policy lacks, and a call needs, to what follows.
	Lacking map[string]string
}

// readCalls returns the calls by the suffix of the role's name.
func readCalls() (map[string]recordedCalls, error) {
	text, err := callsFile.ReadFile("calls.json")
	if err != nil {
		return nil, fmt.Errorf("reading the calls of the operators: %w", err)
	}
	var roles map[string]recordedCalls
	if err := json.Unmarshal(text, &roles); err != nil {
		return nil, fmt.Errorf("reading the calls of the operators: %w", err)
	}
	return roles, nil
}

// needed returns the actions that a role's operators need, with the reason.
func (r recordedCalls) needed() map[string]string {
	needed := maps.Clone(r.Calls)
	maps.Copy(needed, r.ForCaller)
	return needed
}

// Need is an action that the operators of a role call, and that the policy of a role of the stack allows.
type Need struct {
	// Action is the action, "ec2:CreateTags".
	Action string
	// Why names the component that needs it: "control-plane-operator calls it (support/awsutil/sg.go:246)", or the reason
	// why AWS requires it.
	Why string
	// Since is the first release that needs it, "4.22"; "" for all.
	Since string
	// Vital is true if a cluster without it gets no nodes, no endpoint or no encryption of etcd.
	Vital bool
}

// ExistingRole is an existing role of a cluster, and what the cluster needs of it.
type ExistingRole struct {
	// Name is which of the cluster's roles it is.
	Name RoleName
	// ARN is the role's.
	ARN string
	// Breaks says what does not work if the role lacks an action.
	Breaks string
	// Needs are the actions that the cluster needs of it.
	Needs []Need
}

// addedActions returns the actions that HyperShift's policies have since a release, by the suffix of the role's name
// and by release. Source: the branches release-4.14 to release-5.1 of HyperShift, cmd/infra/aws/iam.go and
// iam_policies.go.
func addedActions() map[string]map[string][]string {
	return map[string]map[string][]string{
		"control-plane-operator": {"4.20": {"ec2:DescribeSubnets"}},
		"node-pool":              {"4.22": {"ec2:DescribeInstanceTypes", "sqs:ReceiveMessage", "sqs:DeleteMessage"}},
		"cloud-controller": {
			"4.22": {"elasticloadbalancing:DescribeTargetGroupAttributes", "elasticloadbalancing:ModifyTargetGroupAttributes"},
			"4.23": {"elasticloadbalancing:SetSecurityGroups"},
		},
		"karpenter": {"4.22": {"ec2:DescribeCapacityReservations", "iam:ListInstanceProfiles"}},
		"aws-ebs-csi-driver-controller": {"4.23": {
			"ec2:CopyVolumes", "ec2:DescribeAvailabilityZones", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumeStatus",
			"ec2:EnableFastSnapshotRestores",
			"ec2:LockSnapshot",
		}},
	}
}

// addedIn returns the release that added an action to the policy of a role, "" for one that it always had.
func addedIn(suffix, action string) string {
	for release, actions := range addedActions()[suffix] {
		if slices.Contains(actions, action) {
			return release
		}
	}
	return ""
}

// NeededBy reports whether a release needs it. 4.23 and 5.0 have the same policies. A release that is not known needs
// everything.
func (n Need) NeededBy(release semver.Version) bool {
	if n.Since == "" || release.EQ(semver.Version{}) {
		return true
	}
	since, err := semver.ParseTolerant(n.Since)
	return err != nil || release.Major > since.Major || release.Major == since.Major && release.Minor >= since.Minor
}

// KnownRoles returns the existing roles in args whose ARNs are known, in the order of the roles, with what the cluster
// needs of them.
func (args *RoleSetArgs) KnownRoles() ([]ExistingRole, error) {
	calls, err := readCalls()
	if err != nil {
		return nil, err
	}
	var given []ExistingRole
	for _, spec := range args.specs() {
		if arn := input.Text(args.existing()[spec.name]); arn != "" {
			given = append(given, ExistingRole{
				Name:   spec.name,
				ARN:    arn,
				Breaks: spec.breaks,
				Needs:  args.needs(spec, calls[spec.suffix]),
			})
		}
	}
	return given, nil
}

// needs returns what the cluster in args needs of a role, ordered by action. What only another cluster would call is
// left out.
func (args *RoleSetArgs) needs(spec roleSpec, calls recordedCalls) []Need {
	made := spec.policy(scope{})
	var needs []Need
	for _, action := range slices.Sorted(maps.Keys(calls.needed())) {
		if _, lacking := calls.Lacking[action]; lacking || args.uncalled(spec, action) ||
			policy.Evaluate(policy.Request{Action: action, Partial: true}, made) != policy.Allowed {
			continue
		}
		need := Need{Action: action, Since: addedIn(spec.suffix, action), Vital: spec.vital}
		if place, called := calls.Calls[action]; called {
			operator, file, _ := strings.Cut(place, " ")
			need.Why = fmt.Sprintf("%s calls it (%s)", operator, file)
		} else {
			need.Why = calls.ForCaller[action]
			need.Vital = spec.vital && !strings.HasPrefix(action, "kms:") // only for volumes that a customer's key encrypts
		}
		needs = append(needs, need)
	}
	if args.SharedVPC != nil && (spec.name == RoleIngress || spec.name == RoleControlPlaneOperator) {
		needs = append(needs, Need{
			Action: "sts:AssumeRole",
			Why:    "it assumes the roles in the accounts of the shared VPC and its zones",
			Vital:  true,
		})
	}
	return needs
}

// uncalled reports whether no operator of the cluster in args calls an action: those for PrivateLink without a private
// endpoint, and those for a queue without one.
func (args *RoleSetArgs) uncalled(spec roleSpec, action string) bool {
	switch {
	case spec.name == RoleControlPlaneOperator && !args.EndpointAccess.HasPrivate():
		return strings.HasPrefix(action, "route53:") || strings.HasSuffix(action, "VpcEndpoint") ||
			strings.HasSuffix(action, "VpcEndpoints") ||
			action == "ec2:DescribeSubnets"
	case strings.HasPrefix(action, "sqs:"):
		return args.InterruptionQueueARN == nil
	}
	return false
}
