package clusterstatus

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// Waiting is a wait for what a management cluster reports.
type Waiting struct {
	// Interval is the time between two looks, and Within bounds the time of one; nil for no bound.
	Interval time.Duration
	Within   func(context.Context) (context.Context, context.CancelFunc)
	// Say tells the user something.
	Say func(sentence string)
	// Interrupted ends the wait when it is closed, and Stopped and Late are the errors of a wait that an interrupt or the
	// end of its time has ended.
	Interrupted   <-chan struct{}
	Stopped, Late func() error
}

// believed is how many looks in a row must fail lastingly until a wait ends. An API server that has just started denies
// what it allows once it has read its roles, and has no objects of kinds that it does not serve yet.
const believed = 3

// Until calls look until it reports that the wait is over, for as long as ctx. A management cluster that does not
// answer, as during a restart of its API server, does not end the wait: the user is told once. What does is an answer
// that stays the same, such as 401 and 403, and an error of this program, such as of an object that is gone.
func (w Waiting) Until(ctx context.Context, look func(context.Context) (over bool, err error)) error {
	silent, lasting := false, 0
	for {
		over, err := w.look(ctx, look)
		switch {
		case err == nil && over:
			return nil
		case ctx.Err() != nil:
			return w.Late()
		case err != nil && Lasting(err):
			if lasting++; lasting == believed {
				return err
			}
		case err != nil && !silent:
			silent, lasting = true, 0
			w.Say(fmt.Sprintf("the management cluster does not answer, which is waited for: %s",
				strings.ReplaceAll(err.Error(), "\n", "; ")))
		case err == nil && silent:
			silent, lasting = false, 0
			w.Say("the management cluster answers again")
		default:
			lasting = 0
		}
		select {
		case <-ctx.Done():
			return w.late(lasting > 0, err)
		case <-w.Interrupted:
			return w.Stopped()
		case <-time.After(w.Interval):
		}
	}
}

// late returns the error of a wait whose time ends: the last one of a look, if it is to last.
func (w Waiting) late(lasts bool, err error) error {
	if lasts {
		return err
	}
	return w.Late()
}

func (w Waiting) look(ctx context.Context, look func(context.Context) (bool, error)) (bool, error) {
	if w.Within != nil {
		within, cancel := w.Within(ctx)
		defer cancel()
		ctx = within
	}
	return look(ctx)
}

// Lasting reports whether the error of a request to a management cluster does not end by itself: the API server refuses
// the request, or this program does. A connection that fails, a time-out, 429 and 5xx end by themselves.
func Lasting(err error) bool {
	var refused *failure.Error
	if errors.As(err, &refused) {
		return true
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	switch code := status.Status().Code; code {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return code >= http.StatusBadRequest && code < http.StatusInternalServerError
	}
}
