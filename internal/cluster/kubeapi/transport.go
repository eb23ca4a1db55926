package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
)

// notes are what a client has found at the address of an API server.
type notes struct {
	// status is the last HTTP status that asked to try again later, 0 if there was none.
	status atomic.Int32
	// there is true once something accepted a connection.
	there atomic.Bool
	// broken is the last error of a connection to something that is there, nil if there is none. The client may try again
	// until its time is up.
	broken atomic.Pointer[brokenError]
}

// brokenError is the error of a request to something that is there, or that a proxy, not the API server, may have
// failed.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// noting sends requests, and notes what accepts or answers them.
type noting struct {
	http.RoundTripper
	noted *notes
	// proxy returns the proxy of a request, nil for none.
	proxy func(*http.Request) (*url.URL, error)
	// busy is called when a server asks to try again later, which the client does.
	busy func()
}

// WrappedRoundTripper implements utilnet.RoundTripperWrapper.
func (n noting) WrappedRoundTripper() http.RoundTripper { return n.RoundTripper }

// RoundTrip implements http.RoundTripper. Only here is it known whether a connection was accepted and whose refusal an
// error is.
func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	markSent(r.Context())
	var dialing atomic.Bool
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		ConnectStart: func(string, string) { dialing.Store(true) },
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				n.noted.there.Store(true)
			}
		},
		GotConn: func(httptrace.GotConnInfo) { n.noted.there.Store(true) },
	})
	began := time.Now()
	answer, err := n.RoundTripper.RoundTrip(r.WithContext(ctx))
	log := trace.Of(ctx).With("request", r.Method, "server", r.URL.Host, "path", r.URL.Path, "took", time.Since(began))
	if err != nil {
		log.DebugContext(ctx, "management cluster", "error", err)
	}
	if err == nil {
		log.DebugContext(ctx, "management cluster", "status", answer.StatusCode)
		if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= http.StatusInternalServerError {
			n.noted.status.Store(int32(answer.StatusCode))
		}
		if after, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil &&
			answer.StatusCode == http.StatusTooManyRequests && askedToWait(ctx, time.Duration(after)*time.Second) {
			n.busy()
		}
		return answer, nil
	}
	if errors.Is(err, context.DeadlineExceeded) && dialing.Load() {
		err = &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
	}
	proxy, unknown := n.proxy(r)
	if n.noted.there.Load() || proxy != nil || unknown != nil || !NoAnswer(err) {
		broken := &brokenError{err}
		n.noted.broken.Store(broken)
		return nil, broken
	}
	return nil, err
}

// tellAfter is how long a credentials plugin may take before the user is told what is waited for.
const tellAfter = 3 * time.Second

// waiting waits for the plugin or auth provider that a kubeconfig gets its credentials from as long as the request's
// context, which client-go does not pass to it.
type waiting struct {
	http.RoundTripper
	plugin string
	// hint is how the plugin is installed, "" if the kubeconfig does not say.
	hint    string
	cluster *Cluster
}

// afterStop is how long a plugin may still take once the user wants to stop: for credentials that are there already, or
// nearly.
const afterStop = time.Second

// WrappedRoundTripper implements utilnet.RoundTripperWrapper.
func (w waiting) WrappedRoundTripper() http.RoundTripper { return w.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (w waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	told := time.AfterFunc(tellAfter, func() {
		w.cluster.tell("waiting for " + w.plugin + ", which the kubeconfig gets credentials from")
	})
	defer told.Stop()
	var sent atomic.Bool
	ctx := onSent(r.Context(), func() {
		sent.Store(true)
		told.Stop()
	})
	type result struct {
		answer *http.Response
		err    error
	}
	ended := make(chan result, 1)
	go func() {
		answer, err := w.RoundTripper.RoundTrip(r.Clone(ctx)) //nolint:bodyclose // its caller closes it
		if err != nil && !sent.Load() {
			err = w.without(err)
		}
		ended <- result{answer, err}
	}()
	why := errors.New("the command is stopped")
	select {
	case got := <-ended:
		return got.answer, got.err
	case <-ctx.Done():
		why = context.Cause(ctx)
	case <-w.cluster.stop:
		select {
		case got := <-ended:
			return got.answer, got.err
		case <-time.After(afterStop):
		}
	}
	if sent.Load() { // the request itself ends with the context
		got := <-ended
		return got.answer, got.err
	}
	go func() {
		if got := <-ended; got.answer != nil {
			_ = got.answer.Body.Close()
		}
	}()
	return nil, &brokenError{fmt.Errorf("%s, which the kubeconfig gets credentials from, has not ended: %w", w.plugin,
		why)}
}

// renewing sends a request again whose credentials are refused: where they come from, there may be new ones. client-go
// asks a plugin or an issuer for them, for later requests alone, reads the file of a token again after a minute, and
// those of a certificate for new connections.
type renewing struct {
	http.RoundTripper
	// tokenFile has the token, "" if it comes from elsewhere.
	tokenFile string
}

// RoundTrip implements http.RoundTripper.
func (r renewing) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := r.RoundTripper.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, err
	}
	again := request.Clone(request.Context())
	if r.tokenFile != "" {
		token, err := atomicfile.ReadInput(r.tokenFile)
		if err != nil {
			return answer, nil //nolint:nilerr // the answer says what is wrong
		}
		again.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	if request.Body != nil && request.Body != http.NoBody {
		if request.GetBody == nil {
			return answer, nil
		}
		if again.Body, err = request.GetBody(); err != nil {
			return answer, nil //nolint:nilerr // the answer says what is wrong
		}
	}
	_ = answer.Body.Close()
	utilnet.CloseIdleConnectionsFor(r.RoundTripper)
	return r.RoundTripper.RoundTrip(again)
}

// without returns the error of a request that was not sent, for want of credentials, in one line: client-go adds a page
// of help, in which the kubeconfig's own hint is. Whatever failed, such as a connection to an issuer, it is not the API
// server's silence.
func (w waiting) without(err error) error {
	text, help, _ := strings.Cut(strings.TrimPrefix(err.Error(), "getting credentials: "), "\n")
	if help != "" && w.hint != "" {
		text += "; " + w.hint
	}
	return &brokenError{fmt.Errorf("there are no credentials from %s: %s", w.plugin, text)}
}

// sentKey is the key of the function in a context that is called when a request is sent.
type sentKey struct{}

// onSent returns a context whose requests call f when they are sent: once there are credentials.
func onSent(ctx context.Context, f func()) context.Context {
	outer, _ := ctx.Value(sentKey{}).(func())
	return context.WithValue(ctx, sentKey{}, func() {
		if outer != nil {
			outer()
		}
		f()
	})
}

func markSent(ctx context.Context) {
	if sent, _ := ctx.Value(sentKey{}).(func()); sent != nil {
		sent()
	}
}
