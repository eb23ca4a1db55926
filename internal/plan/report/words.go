package report

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Label returns the name of an event's resource in messages: "NAT gateway demo-nat-us-east-1a".
func Label(e *event.Resource) string { return TypeName(e.ResourceType) + " " + e.Name }

// verb is an operation in words.
type verb struct{ Present, Past string }

// VerbFor returns the verb for an engine's operation or the result of a refresh.
func VerbFor(op apitype.OpType) verb {
	switch op { //nolint:exhaustive // the others have no verb in English
	case apitype.OpCreate:
		return verb{"creating", "created"}
	case apitype.OpUpdate:
		return verb{"updating", "updated"}
	case apitype.OpDelete:
		return verb{"deleting", "deleted"}
	case apitype.OpReplace, apitype.OpCreateReplacement:
		return verb{"replacing", "replaced"}
	case apitype.OpDeleteReplaced:
		return verb{"deleting the old", "deleted the old"}
	case event.OpKept:
		return verb{"leaving in place", "left in place:"}
	case event.OpChanged:
		return verb{"refreshing", "changed outside the stack:"}
	case event.OpGone:
		return verb{"refreshing", "missing:"}
	case apitype.OpRefresh:
		return verb{"refreshing", "refreshed"}
	case apitype.OpImport, apitype.OpImportReplacement:
		return verb{"importing", "imported"}
	case apitype.OpRead, apitype.OpReadReplacement:
		return verb{"reading", "read"}
	}
	return verb{string(op), string(op)}
}

// usually returns how long AWS takes to create a resource of a slow type.
func usually(e *event.Resource) string {
	if e.Op != apitype.OpCreate && e.Op != apitype.OpCreateReplacement {
		return ""
	}
	record, _ := awstype.Lookup(e.ResourceType)
	if record.Seconds.Create < 10 {
		return ""
	}
	return "; usually about " + duration(time.Duration(record.Seconds.Create)*time.Second)
}

// duration formats a duration, rounded to seconds from one second on.
func duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// RoundTime formats a duration with the precision of an estimate: "5 s", "2 min 20 s", "1 h 5 min".
func RoundTime(d time.Duration) string {
	switch {
	case d < time.Minute-5*time.Second/2:
		return fmt.Sprintf("%d s", max(1, roundTo(d, 5*time.Second)/time.Second))
	case d < 10*time.Minute:
		d = roundTo(d, 10*time.Second)
	default:
		d = roundTo(d, time.Minute)
	}
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d -= n * unit.size
		}
	}
	return strings.Join(parts, " ")
}

// roundTo rounds to a unit, and times below the unit to a second.
func roundTo(d, unit time.Duration) time.Duration {
	if d < unit {
		return d.Round(time.Second)
	}
	return d.Round(unit)
}

// Number returns a count with its noun in the singular or plural: "1 resource", "2 resources", "0 policies", "2
// stashes", "2 DHCP options".
func Number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "ss"), strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "ch"),
		strings.HasSuffix(noun, "x"):
		return fmt.Sprintf("%d %ses", n, noun)
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %s", n, noun)
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") &&
		!strings.HasSuffix(stem, "o") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Are returns the verb for a count.
func Are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// TypeName returns the name of a resource type in messages: "NAT gateway" for "aws:ec2/natGateway:NatGateway".
func TypeName(token string) string {
	if provider, ok := strings.CutPrefix(token, "pulumi:providers:"); ok {
		if provider == "aws" {
			return "AWS provider"
		}
		return strings.ToUpper(provider[:min(1, len(provider))]) + provider[min(1, len(provider)):] + " provider"
	}
	if token == "pulumi:index:Stash" {
		return "recorded value"
	}
	if record, known := awstype.Lookup(token); known {
		return record.Label
	}
	return Words(token[strings.LastIndex(token, ":")+1:])
}

// Words splits "NatGateway" into "NAT gateway", and "AWSCluster" into "AWS cluster".
func Words(camel string) string {
	var split []string
	start, runes := 0, []rune(camel)
	for i := 1; i < len(runes); i++ {
		begins := unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) ||
			i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			split = append(split, string(runes[start:i]))
			start = i
		}
	}
	split = append(split, string(runes[start:]))
	for i, word := range split {
		switch upper := strings.ToUpper(word); upper {
		case "AWS", "VPC", "NAT", "IAM", "KMS", "DHCP", "ID", "DNS", "ACL", "IP":
			split[i] = upper
		default:
			split[i] = strings.ToLower(word)
		}
	}
	return strings.Join(split, " ")
}
