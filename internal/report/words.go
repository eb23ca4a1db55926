package report

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Label is what people call an event's resource: "NAT gateway demo-nat-us-east-1a".
func Label(e *ResourceEvent) string { return TypeName(e.ResourceType) + " " + e.Name }

// verb is an operation in words.
type verb struct{ Present, past string }

// VerbOf says what the engine calls an operation, or what a refresh finds.
func VerbOf(op string) verb {
	switch op {
	case "create":
		return verb{"creating", "created"}
	case "update":
		return verb{"updating", "updated"}
	case "delete":
		return verb{"deleting", "deleted"}
	case "replace", "create-replacement":
		return verb{"replacing", "replaced"}
	case "delete-replaced":
		return verb{"deleting the old", "deleted the old"}
	case OpChanged:
		return verb{"refreshing", "changed behind the stack's back:"}
	case OpGone:
		return verb{"refreshing", "gone:"}
	case "refresh":
		return verb{"refreshing", "refreshed"}
	case "import", "import-replacement":
		return verb{"importing", "imported"}
	case "read", "read-replacement":
		return verb{"reading", "read"}
	}
	return verb{op, op}
}

// usually is how long AWS takes to create what takes long, by the median of public run logs.
func usually(e *ResourceEvent) string {
	if e.Op != "create" && e.Op != "create-replacement" {
		return ""
	}
	switch e.ResourceType {
	case awstype.NATGateway:
		return "; usually about 1m46s"
	case awstype.HostedZone:
		return "; usually about 1m10s"
	case awstype.VPC:
		return "; usually about 15s"
	}
	return ""
}

// duration is how long something took or takes, to the second once it is one.
func duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
