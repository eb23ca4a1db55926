package report

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/estimate"
)

// Label returns the name of an event's resource in messages: "NAT gateway demo-nat-us-east-1a".
func Label(e *ResourceEvent) string { return TypeName(e.ResourceType) + " " + e.Name }

// verb is an operation in words.
type verb struct{ Present, past string }

// VerbOf returns the verb for an engine's operation or the result of a refresh.
func VerbOf(op apitype.OpType) verb {
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
	case OpKept:
		return verb{"leaving in place", "left in place the old"}
	case OpChanged:
		return verb{"refreshing", "changed outside the stack:"}
	case OpGone:
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
func usually(e *ResourceEvent) string {
	if e.Estimated() != estimate.Create {
		return ""
	}
	seconds := estimate.Typical(estimate.Create, e.ResourceType)
	if seconds < 10 {
		return ""
	}
	return "; usually about " + duration(time.Duration(seconds)*time.Second)
}

// Estimated returns the operation of an event whose time is estimated, or "" for none.
func (e *ResourceEvent) Estimated() estimate.Op {
	switch e.Op { //nolint:exhaustive // the others take no time
	case apitype.OpCreate, apitype.OpCreateReplacement:
		return estimate.Create
	case apitype.OpImport, apitype.OpImportReplacement:
		return estimate.Import
	case apitype.OpUpdate:
		return estimate.Update
	case apitype.OpDelete, apitype.OpDeleteReplaced:
		return estimate.Delete
	}
	return ""
}

// duration formats a duration, rounded to seconds from one second on.
func duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
