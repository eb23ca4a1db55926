// Package pack serves the rules of internal/plan/policy as a Pulumi policy pack, for people who run `pulumi up`
// themselves: `pulumi up --policy-pack DIR`, where DIR is a folder that Write wrote and DIR/bin is on PATH.
package pack

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Name is the name of the pack and of its runtime. The runtime is not a language, because the engine starts the pack of
// a language through its language host.
const Name = "hypershift-aws-policies"

// Executable is the name of the program that serves the pack, for which the engine searches PATH.
const Executable = "pulumi-analyzer-policy-" + Name

// Serve serves the pack until the engine closes the connection. It writes its port to stdout, as the engine's protocol
// requires.
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

// New returns the pack. Its policies are advisory unless the pack's config changes that. Rules that check a resource's
// options are not part of it: at SDK 3.250 the engine does not send options to a pack in Go.
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
	return policyx.NewPolicyPack(Name, semver.MustParse(strings.TrimPrefix(stacks.Version, "v")),
		policyx.EnforcementLevelAdvisory, policies)
}

// from converts a resource from the form in which the engine sends it to a pack.
func from(r policyx.AnalyzerResource) props.Resource {
	inputs := resource.ToResourcePropertyMap(r.Properties).MapRepl(nil, func(v resource.PropertyValue) (any, bool) {
		switch {
		case v.IsComputed(), v.IsOutput() && !v.OutputValue().Known:
			return policy.Unknown, true
		case v.IsSecret():
			return v.SecretValue().Element.MapRepl(nil, nil), true
		}
		return nil, false
	})
	return props.Resource{URN: r.URN, Name: r.Name, Type: r.Type, Map: inputs}
}

// Write writes a folder for `pulumi --policy-pack`: PulumiPolicy.yaml, and in bin/ a link to the program with the name
// that the engine searches for on PATH.
func Write(folder, program string) error {
	bin := filepath.Join(folder, "bin")
	if err := atomicfile.MakeDir(bin); err != nil {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	text := "description: Policies for the AWS resources of HyperShift hosted clusters\nruntime: " + Name + "\nversion: " + strings.TrimPrefix(stacks.Version, "v") + "\n"
	if err := atomicfile.Write(filepath.Join(folder, "PulumiPolicy.yaml"), []byte(text)); err != nil {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	link := filepath.Join(bin, Executable)
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	if err := os.Symlink(program, link); err != nil {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	return nil
}

// Wanted reports whether the engine started a program to serve the pack, by the name of the link that Write creates.
func Wanted(program string) bool { return filepath.Base(program) == Executable }
