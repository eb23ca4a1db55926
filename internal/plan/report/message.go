package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// pendingRemedy is the remedy for abandoned creations that cannot be searched for.
const pendingRemedy = "they may exist in AWS but not in the state: find and delete each of them in AWS, then run " +
	"`hypershift-aws refresh --forget-pending`"

// IsEngineEcho reports whether the message only repeats that an error was reported, or that Ctrl-C was pressed.
func IsEngineEcho(message string) bool {
	switch message {
	case "update failed", "preview failed", "destroy failed", "refresh failed", "resource registration failed",
		"update canceled", "preview canceled", "destroy canceled", "refresh canceled":
		return true
	}
	return false
}

// colourTag matches the engine's markers for colours in its events: "<{%reset%}>".
var colourTag = regexp.MustCompile(`<\{%[^%]*%\}>`)

// PlainText returns a message without colours and surrounding space.
func PlainText(message string) string {
	return strings.TrimSpace(colourTag.ReplaceAllString(message, ""))
}

// pendingOperation matches a line of the engine's warning about abandoned operations.
var pendingOperation = regexp.MustCompile(`\* (urn:\S+), interrupted while (\w+)`)

// wrapping matches the text that the engine and the SDK add before this program's own messages, which already name what
// failed.
var wrapping = regexp.MustCompile(`^(an unhandled error occurred: (\d+ errors? occurred:\s*\* )?|(Preview failed: )?before hook "[^"]+" failed: )`)

// The engine's messages about a resource that it must not delete or replace: they name flags and commands of the
// engine.
var (
	undeletable   = regexp.MustCompile(`(?s)resource "(urn:[^"]+)" cannot be deleted\s+because it is protected\. To unprotect.*`)
	irreplaceable = regexp.MustCompile(`(?s)unable to replace resource "(urn:[^"]+)".*marked for protection\. To unprotect.*`)
)

// protectedRemedy says what the end of a protected resource would mean, and what to restore instead. It never names a
// way to remove the protection of that resource alone: what needs it may be alive.
func protectedRemedy(of string) string {
	would, restore := "what uses it would be lost", "its values in the stack's file, or the state that belongs to the file"
	destroy := "To delete it with the stack, once no cluster that needs it is alive: " + unprotect("management",
		"and the refusal to delete the OIDC bucket and the zone with their content") + "; `hypershift-aws destroy` then deletes them"
	switch kind := typeOf(of); {
	case strings.HasSuffix(kind, ":HostedCluster"), strings.HasSuffix(kind, ":Cluster"):
		would = "the cluster would be deleted with its nodes and its etcd"
		restore = "its name, its namespace and the section that it is from in the stack's file"
		destroy = destroyCluster
	case strings.HasSuffix(kind, ":Secret"):
		would = "what is encrypted with its content, such as etcd, could not be read again"
		restore = "the name and the namespace of its cluster and the key in the stack's file; if the state is older than a change of the key, " +
			"run `hypershift-aws refresh`, then `adopt`, then `up`"
		destroy = destroyCluster
	}
	return ": " + would + "; restore " + restore + ". " + destroy
}

// destroyCluster says how a protected resource of a cluster is deleted.
var destroyCluster = "`hypershift-aws destroy` deletes it with the stack, once no cluster that needs it is alive. " +
	"Otherwise " + unprotect("cluster.hostedCluster or capa", "such as the key that encrypts etcd")

// unprotect says what the key does that removes the protection of a section.
func unprotect(section, also string) string {
	return "the key unprotected: true in section " + section + " of the stack's file, followed by `hypershift-aws up`, removes the protection of all " +
		"resources of the section, " + also + ": only where no cluster is alive"
}

// typeOf returns the type of a resource by its URN, "" if it is none.
func typeOf(of string) string {
	parsed, err := urn.Parse(of)
	if err != nil {
		return ""
	}
	return string(parsed.Type())
}

// existing matches the messages of AWS and the Kubernetes API server for what exists already: a name, a network, an
// association, a route or a domain that is already in use.
var existing = regexp.MustCompile(`(?s)(was not successfully created by the Kubernetes API server: [^\n]*already exists|` +
	`\b(?:\w*AlreadyExists\w*|Resource\.AlreadyAssociated|InvalidSubnet\.Conflict|ConflictingDomainExists|` +
	`Invalid(?:Group|Permission)\.Duplicate|BucketAlreadyOwnedByYou|DuplicateTransitGatewayAttachment): [^\n]*?)[.:]?(?:\n.*)?$`)

// existingRemedy is the remedy: an update imports nothing by its name. What exists may be in use, so the remedy is
// never its deletion.
const existingRemedy = "; the existing resource is not in this stack's state, and was not changed: if it is this stack's or its cluster's, adopt it " +
	"(`hypershift-aws adopt --preview`), otherwise set other names in the stack's config"

// deleteUnreachable matches the Kubernetes provider's advice for a cluster that it does not reach: a setting by which
// it forgets objects that live on.
var deleteUnreachable = regexp.MustCompile(`(?s)\.?\s*If the cluster (?:was|has been) deleted, you can .*?PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"\.?`)

// unreachableRemedy is the remedy: an object is forgotten only with the proof that its cluster is gone.
const unreachableRemedy = "; nothing was changed there: correct the kubeconfig, the network or the credentials, and run the same command again; " +
	"if the management cluster no longer exists, see `hypershift-aws destroy --help` about --management-cluster-gone"

// The engine's messages about a plan that an update is bound to. Those about inputs have their values, also of secrets.
var (
	violation = regexp.MustCompile(`(?s)^(?:resource "?(urn:[^\s"]+)"? violates plan: (.*)|(\S+) is not allowed by the plan: .*|` +
		`expected resource operations for (urn:\S+) but none were seen.*|resource violates plan: .*)$`)
	// unnamed is about a resource that a destroy does not name, and that needs one that it names. The engine's event has
	// the resource.
	unnamed       = regexp.MustCompile(`(?s)^Resource 'urn:[^']+' will be destroyed but was not specified in --target list\..*`)
	violatedInput = regexp.MustCompile(`(?:^|[ ,:])[=+~-]{2}([\w$./-]+)`)
)

// Violates reports whether a message of OwnWords says that an update differs from the plan that it is bound to.
func Violates(message string) bool { return strings.Contains(message, differs) }

// differs is what OwnWords says of a resource that differs from the plan.
const differs = "differs from the plan"

// violated returns a message about a plan without values, "" for other messages.
func violated(message string) string {
	if unnamed.MatchString(message) {
		return differs + " that was shown, which does not have it: another run has added it since; it was not deleted"
	}
	m := violation.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	of := "a resource"
	if id := m[1] + m[4]; id != "" {
		of = urnLabel(id)
	}
	var inputs []string
	for _, found := range violatedInput.FindAllStringSubmatch(m[2], -1) {
		if !slices.Contains(inputs, found[1]) {
			inputs = append(inputs, found[1])
		}
	}
	slices.Sort(inputs)
	switch {
	case len(inputs) > 0:
		return of + " " + differs + " that was shown, in " + strings.Join(inputs, ", ") + "; it was not changed"
	case m[3] != "":
		return of + " " + differs + " that was shown, which has no step " + m[3] + " for it; it was not changed"
	}
	return of + " " + differs + " that was shown; it was not changed"
}

// OwnWords removes what is wrapped around this program's messages, and rewrites the engine's longer warnings, which
// name commands of the engine.
func OwnWords(message string) string {
	message = wrapping.ReplaceAllString(message, "")
	if text := violated(message); text != "" {
		return text
	}
	if m := undeletable.FindStringSubmatch(message); m != nil {
		return urnLabel(m[1]) + " is protected, and was not deleted" + protectedRemedy(m[1])
	}
	if m := irreplaceable.FindStringSubmatch(message); m != nil {
		return urnLabel(m[1]) + " is protected, and cannot be replaced" + protectedRemedy(m[1])
	}
	message = existing.ReplaceAllString(message, "$1"+existingRemedy)
	message = deleteUnreachable.ReplaceAllLiteralString(message, unreachableRemedy)
	pending := pendingOperation.FindAllStringSubmatch(message, -1)
	if pending == nil {
		return message
	}
	var given []string
	for _, m := range pending {
		given = append(given, m[2]+" "+urnLabel(m[1]))
	}
	slices.Sort(given)
	return "an earlier run was interrupted while " + strings.Join(given, ", ") + "; " + pendingRemedy
}

// Event is an event with a JSON line of its own.
type Event interface {
	event.Event
	// Kind is the type of its JSON line.
	Kind() string
}

// FaultEvent is a fault of the input.
type FaultEvent struct {
	event.Marker
	fault.Fault
}

// ErrorEvent is why a command did not succeed: its last event.
type ErrorEvent struct {
	event.Marker

	Code     failure.Code `json:"code,omitempty"`
	Problem  string       `json:"problem"`
	Reason   string       `json:"reason"`
	Remedy   string       `json:"remedy,omitempty"`
	ExitCode int          `json:"exitCode"`
}

// Kind implements Event.
func (*FaultEvent) Kind() string { return "fault" }

// Kind implements Event.
func (*ErrorEvent) Kind() string { return "error" }
