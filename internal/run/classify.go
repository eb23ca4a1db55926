package run

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// propagationWaits returns how long an update waits before each further run of the engine, while AWS does not yet
// return what the update has just created. AWS's services are eventually consistent, and the provider does not wait for
// all of it:
//   - reading a tag of a subnet that has just been shared returns an empty result
//     (hashicorp/terraform-provider-aws#36444),
//   - the name of an endpoint service is not valid yet for an endpoint,
//   - a role that was just created is not a valid principal of an endpoint service,
//   - the provider's first read of what it has created, or of what it refers to, finds nothing.
func propagationWaits() []time.Duration {
	return []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second}
}

// expiredCode matches AWS's codes for credentials that have expired.
var expiredCode = regexp.MustCompile(`\b(ExpiredToken|ExpiredTokenException|RequestExpired)\b`)

// missingAnswers are, by type, the errors of a deletion if AWS no longer has the resource that the provider does not
// recognize as such. Operators delete endpoint services, and AWS has two codes for one that does not exist.
func missingAnswers() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		awstype.VPCEndpointService: regexp.MustCompile(`InvalidVpcEndpointService(Id)?\.NotFound`),
	}
}

// lateAnswers are, by type, the provider's errors if AWS does not yet return a resource that is referred to.
func lateAnswers() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		awstype.Tag:                regexp.MustCompile(`empty result|couldn't find resource|\.NotFound\b|InvalidID\b`),
		awstype.VPCEndpoint:        regexp.MustCompile(`InvalidServiceName|StatusCode: 503|ServiceUnavailable`),
		awstype.VPCEndpointService: regexp.MustCompile(`InvalidPrincipal`),
	}
}

// unlisted matches the provider's error if it does not find what it has just created. Its state has the ID, so that the
// next run of the engine continues with it. Source: terraform-provider-aws, internal/tfresource and internal/retry.
var unlisted = regexp.MustCompile(`reading [A-Z][\w ./-]*(?: \([^)]*\))?: (?:couldn't find resource|empty result)`)

// unknown matches AWS's codes for a resource that does not exist.
var unknown = regexp.MustCompile(`\.NotFound\b|\bNoSuchEntity\b|\bNoSuch(HostedZone|Bucket)\b|NotFoundException\b`)

// propagation detects the errors of an update that are temporary, because AWS does not yet return what this update
// created.
type propagation struct {
	// last is true if this is the last run: then temporary errors are reported.
	last bool
	// begun are the inputs of operations, by URN, and fresh the names of resources that were created.
	begun map[string]string
	fresh []string
	// creating are the resources whose creation has begun.
	creating map[string]bool
	// late are the resources with temporary errors, and unlisted those of them that AWS does not list yet themselves.
	late, unlisted []string
	// missing are the resources whose deletion failed because AWS no longer has them, forgotten is true after they left
	// the state.
	missing   []string
	forgotten bool
}

// began records an operation on a resource, which refers to others by its inputs.
func (p *propagation) began(m apitype.StepEventMetadata) {
	if m.New == nil {
		return
	}
	text, _ := json.Marshal(m.New.Inputs) // it was read from JSON
	if p.begun == nil {
		p.begun, p.creating = map[string]string{}, map[string]bool{}
	}
	p.creating[m.URN] = m.Op == apitype.OpCreate || m.Op == apitype.OpCreateReplacement
	p.begun[m.URN] = string(text)
}

// made records the names of a created resource: others may refer to it, in this account or in another one.
func (p *propagation) made(m apitype.StepEventMetadata) {
	if m.New == nil || m.Op != apitype.OpCreate && m.Op != apitype.OpCreateReplacement {
		return
	}
	for _, name := range []any{m.New.ID, m.New.Outputs["arn"], m.New.Outputs["serviceName"]} {
		if text, _ := name.(string); len(text) > len("sg-1") {
			p.fresh = append(p.fresh, text)
		}
	}
}

// temporary reports whether an error of a resource is temporary, and records the resource. A wrong name is not: the
// resource must refer to something that this update created, or be what it creates.
func (p *propagation) temporary(of, message string) bool {
	if p.last || !urn.URN(of).IsValid() {
		return false
	}
	names := func(text string) bool {
		return slices.ContainsFunc(p.fresh, func(name string) bool { return strings.Contains(text, name) })
	}
	answer := lateAnswers()[string(urn.URN(of).Type())]
	refers := answer != nil && answer.MatchString(message) && names(p.begun[of]) ||
		unknown.MatchString(message) && names(message) && p.creating[of]
	itself := !refers && p.creating[of] && unlisted.MatchString(message)
	if !refers && !itself {
		return false
	}
	if !slices.Contains(p.late, of) {
		p.late = append(p.late, of)
		if itself {
			p.unlisted = append(p.unlisted, of)
		}
	}
	return true
}

// gone reports whether an error of a resource means that AWS no longer has it, and records the resource.
func (p *propagation) gone(of, message string) bool {
	if p.forgotten || !urn.URN(of).IsValid() {
		return false
	}
	if answer := missingAnswers()[string(urn.URN(of).Type())]; answer == nil || !answer.MatchString(message) {
		return false
	}
	if !slices.Contains(p.missing, of) {
		p.missing = append(p.missing, of)
	}
	return true
}

// onlyMissing reports whether an operation failed only because AWS no longer has resources.
func (o *engineRun) onlyMissing() bool {
	return len(o.propagation.missing) > 0 && len(o.propagation.late)+len(o.failures) == 0
}

// onlyLate reports whether an operation failed only with temporary errors.
func (o *engineRun) onlyLate() bool { return len(o.propagation.late) > 0 && len(o.failures) == 0 }
