package faults

import (
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
)

// ThrottleAttempts is how often the provider tries a throttled call before it fails.
const ThrottleAttempts = 25

// bucket is a Bucket in use.
type bucket struct {
	Bucket

	mu     sync.Mutex
	tokens float64
	filled time.Time
}

// NewBucket returns a full bucket.
func NewBucket(b Bucket, now time.Time) *bucket {
	return &bucket{Bucket: b, tokens: b.Burst, filled: now}
}

// take removes one token for a call, if there is one.
func (b *bucket) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.Burst, b.tokens+now.Sub(b.filled).Seconds()*b.PerSecond)
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// throttled returns AWS's error for a throttled call.
// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
func throttled(service string) error {
	if service == "EC2" {
		return awserr.Errorf("RequestLimitExceeded", "Request limit exceeded.")
	}
	return awserr.Errorf("Throttling", "Rate exceeded")
}

// backoff returns how long the provider waits before it retries a call: doubled each time, up to 20 s.
func backoff(attempt int) time.Duration {
	return min(20*time.Second, 50*time.Millisecond<<min(attempt, 10))
}
