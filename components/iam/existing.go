package iam

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

var roleARNPattern = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/([!-~]+/)?([A-Za-z0-9+=,.@_-]+)$`)

// ValidateRoleARN returns a fault if arn is not the ARN of a role.
func ValidateRoleARN(arn string) error {
	if roleARNPattern.MatchString(arn) {
		return nil
	}
	return &fault.Fault{Value: arn, Problem: "is not the ARN of a role", Remedy: "use arn:aws:iam::<account>:role/<name>"}
}

// existingPath returns the path of an existing role, by the field that contains its ARN.
func existingPath(name RoleName) string { return fmt.Sprintf("existing.roles[%sARN]", name) }

// validateExisting returns a fault for each existing role with an unknown name or an invalid ARN.
func validateExisting(existing map[RoleName]pulumi.StringInput) error {
	var faults fault.Faults
	for _, name := range slices.Sorted(maps.Keys(existing)) {
		if err := name.Validate(); err != nil {
			faults.Join(existingPath(name), err)
		} else {
			faults.Join(existingPath(name), input.IfPlain(existing[name], ValidateRoleARN))
		}
	}
	return faults.Err()
}

// checkExisting returns a fault for each existing role that cannot be looked up, that the service accounts in its spec
// could not assume, or whose permissions boundary denies an action without which the cluster does not work. needs
// returns what a role needs.
func checkExisting(
	ctx *pulumi.Context, existing map[RoleName]string, specs []roleSpec, needs func(roleSpec) []Need, issuerURL string,
	opt pulumi.InvokeOption,
) error {
	var faults fault.Faults
	for _, spec := range specs {
		arn, given := existing[spec.name]
		if !given {
			continue
		}
		if err := ValidateRoleARN(arn); err != nil {
			faults.Join(existingPath(spec.name), err)
			continue
		}
		found, err := iam.LookupRole(ctx, &iam.LookupRoleArgs{Name: roleARNPattern.FindStringSubmatch(arn)[2]}, opt)
		if err != nil {
			faults.Add(existingPath(spec.name), arn, fmt.Sprintf("cannot be looked up: %s", awsprovider.Cause(err)),
				awsprovider.Remedy(err, "use a role of this account"))
			continue
		}
		if found.Arn != arn {
			faults.Add(existingPath(spec.name), arn, "is not the role of that name in this account, "+found.Arn,
				"use "+found.Arn)
			continue
		}
		faults.Join(existingPath(spec.name), checkTrust(arn, found.AssumeRolePolicy, issuerURL, spec.serviceAccounts))
		if found.PermissionsBoundary != "" {
			faults.Join(existingPath(spec.name), checkBoundary(ctx, arn, found.PermissionsBoundary, spec.breaks, needs(spec),
				opt))
		}
	}
	return faults.Err()
}

// checkBoundary compares the permissions boundary of an existing role with what the cluster needs of the role, since
// AWS's provider looks up no other policy of a role. It returns a fault for an action without which the cluster does
// not work, and warns of other actions and of a boundary that cannot be read. An action that only later releases need
// is left out: the release is not known here.
func checkBoundary(ctx *pulumi.Context, role, boundary, breaks string, needs []Need, opt pulumi.InvokeOption) error {
	found, err := iam.LookupPolicy(ctx, &iam.LookupPolicyArgs{Arn: &boundary}, opt)
	var document policy.Document
	if err == nil {
		document, err = policy.Parse(found.Policy)
	}
	if err != nil {
		return ctx.Log.Warn(fmt.Sprintf("%s has the permissions boundary %s, which cannot be read and is not compared: %s", role, boundary, awsprovider.Cause(err)), nil)
	}
	var vital, others []string
	for _, need := range needs {
		switch {
		case need.Since != "" || len(document.Statement) == 0 || policy.Evaluate(policy.Request{Action: need.Action, Partial: true}, document) == policy.Allowed:
		case need.Vital:
			vital = append(vital, need.Action)
		default:
			others = append(others, need.Action)
		}
	}
	if len(vital) > 0 {
		return &fault.Fault{
			Value: role, Problem: fmt.Sprintf("has the permissions boundary %s, which does not allow %s; without it %s",
				boundary, strings.Join(vital, ", "), breaks),
			Remedy: "ask the owner of the boundary to allow it, or leave the role out to create one",
		}
	}
	if len(others) > 0 && ctx.DryRun() {
		return ctx.Log.Warn(fmt.Sprintf("%s has the permissions boundary %s, which does not allow %s; without it %s", role,
			boundary, strings.Join(others, ", "), breaks), nil)
	}
	return nil
}

// checkInstanceProfile returns the role of an existing instance profile, and a fault if it cannot be looked up or if
// EC2 cannot assume its role.
func checkInstanceProfile(ctx *pulumi.Context, name string, opt pulumi.InvokeOption) (roleARN string, err error) {
	const path = "existing.instanceProfile"
	found, err := iam.LookupInstanceProfile(ctx, &iam.LookupInstanceProfileArgs{Name: name}, opt)
	if err != nil {
		return "", &fault.Fault{
			Path: path, Value: name, Problem: fmt.Sprintf("cannot be looked up: %s", awsprovider.Cause(err)),
			Remedy: awsprovider.Remedy(err, "use an instance profile of this account"),
		}
	}
	arn, trust := "", ""
	if found.RoleName != "" {
		role, err := iam.LookupRole(ctx, &iam.LookupRoleArgs{Name: found.RoleName}, opt)
		if err != nil {
			return "", &fault.Fault{
				Path: path, Value: name, Problem: fmt.Sprintf("has the role %s, which cannot be looked up: %s", found.RoleName,
					awsprovider.Cause(err)),
				Remedy: awsprovider.Remedy(err, "use an instance profile whose role exists"),
			}
		}
		arn, trust = role.Arn, role.AssumeRolePolicy
	}
	var faults fault.Faults
	faults.Join(path, CheckProfile(name, found.RoleName, trust))
	return arn, faults.Err()
}

// CheckProfile returns a fault if an existing instance profile has no role, "", or one whose trust policy does not
// allow EC2 to assume it.
func CheckProfile(name, role, trust string) error {
	switch {
	case role == "":
		return &fault.Fault{
			Value:   name,
			Problem: "has no role, so machines start without credentials",
			Remedy:  "add the nodes' role to it",
		}
	case !trustsService(trust, ec2Principals()...):
		return &fault.Fault{Value: name, Problem: "has the role " + role + ", which EC2 may not assume",
			Remedy: "allow " + ec2Principals()[0] + " to use sts:AssumeRole in the role's trust policy"}
	}
	return nil
}
