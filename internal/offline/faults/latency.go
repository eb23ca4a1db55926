package faults

import (
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Latency returns how many seconds AWS takes to create a resource of a type until it can be used, from the type's record in awstype.
// Default: one second.
func Latency(token string) float64 {
	if record, _ := awstype.Of(token); record.Seconds.Create > 0 {
		return record.Seconds.Create
	}
	return 1
}

// CreationSeconds returns how many seconds a creation takes in this rehearsal: the type's setting, otherwise Latency, scaled.
func (r Rehearsal) CreationSeconds(token string) float64 {
	seconds, ok := r.Seconds[token]
	if !ok {
		seconds = Latency(token)
	}
	return seconds * r.Scale
}
