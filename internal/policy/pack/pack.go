// Package pack serves the rules of internal/policy as a Pulumi policy pack, for people who run `pulumi up` themselves:
// `pulumi up --policy-pack DIR`, where DIR is a folder that Write wrote and DIR/bin is on PATH.
package pack

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"

	"github.com/hypershift-aws/hypershift-aws/internal/policy"
)

// Name is the pack's name, and that of its runtime. It is no language's: of a language's packs the engine asks the language host.
const Name = "hypershift-aws-policies"

// Executable is the name by which the engine looks for the program that serves the pack.
const Executable = "pulumi-analyzer-policy-" + Name

// Serve serves the pack to the engine until it hangs up. It writes the port that it listens on to stdout, as the engine's
// protocol has it.
func Serve() error {
	return policyx.Main(func(*pulumi.Context) (policyx.PolicyPack, error) { return New() })
}

// Run serves the pack and returns the exit code of the process; an error is written to stderr.
func Run(stderr io.Writer) int {
	if err := Serve(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// New returns the pack. Its policies are advisory unless the pack's config says otherwise. Rules that look at a resource's options
// are not part of it: the engine does not tell a pack in Go of them at SDK 3.250.
func New() (policyx.PolicyPack, error) {
	var policies []policyx.Policy
	for _, rule := range policy.Rules() {
		if rule.NeedsOptions() {
			continue
		}
		policies = append(policies, policyx.NewResourceValidationPolicy(rule.ID, policyx.ResourceValidationPolicyArgs{
			Description:      rule.Title + " (" + strings.Join(rule.Checks, ", ") + ")",
			EnforcementLevel: policyx.EnforcementLevelAdvisory,
			ValidateResource: func(_ context.Context, args policyx.ResourceValidationArgs) error {
				for _, problem := range rule.Broken(from(args.Resource)) {
					args.Manager.ReportViolation(problem+"; "+rule.Remedy, args.Resource.URN)
				}
				return nil
			},
		}))
	}
	return policyx.NewPolicyPack(Name, semver.MustParse("1.0.0"), policyx.EnforcementLevelAdvisory, policies)
}

// from returns a resource as the engine tells a pack of it.
func from(r policyx.AnalyzerResource) policy.Resource {
	inputs := resource.ToResourcePropertyMap(r.Properties).MapRepl(nil, func(v resource.PropertyValue) (any, bool) {
		switch {
		case v.IsComputed(), v.IsOutput() && !v.OutputValue().Known:
			return policy.Unknown, true
		case v.IsSecret():
			return v.SecretValue().Element.MapRepl(nil, nil), true
		}
		return nil, false
	})
	return policy.Resource{URN: r.URN, Name: r.Name, Type: r.Type, Inputs: inputs}
}
