package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

const (
	// defaultTimeout is how long pulumi-kubernetes waits until an object is ready or deleted, in seconds.
	defaultTimeout = 600.0
	// shortestWait is the minimum of a scaled timeout, which is sufficient for immediate operations.
	shortestWait = time.Second
	// pollInterval is how often an object is read while the provider waits for it.
	pollInterval = 20 * time.Millisecond
)

// errTimeout is Kubernetes' error for a wait that has timed out.
var errTimeout = errors.New("timed out waiting for the condition")

// timeoutFor returns how long the provider waits: the resource's customTimeouts, otherwise an annotation, otherwise the
// default. It is scaled like the operators' durations.
func (c *Cluster) timeoutFor(seconds float64, inputs props.Map) (time.Duration, error) {
	if annotated, err := strconv.Atoi(Annotation(inputs, "pulumi.com/timeoutSeconds")); err == nil && seconds == 0 {
		seconds = float64(annotated)
	}
	if seconds == 0 {
		seconds = defaultTimeout
	}
	operators, err := c.Operators()
	return max(operators.Scaled(seconds), shortestWait), err
}

// await polls until done returns true or fails, the timeout is over, or the engine cancels.
func (p *Provider) await(ctx context.Context, timeout time.Duration, done func() (bool, error)) error {
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	for {
		if is, err := done(); is || err != nil {
			return err
		}
		select {
		case <-time.After(pollInterval):
		case <-deadline.C:
			return errTimeout
		case <-p.cancelled:
			return context.Canceled
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitReady waits for the conditions of the annotation pulumi.com/waitFor. Without it, a custom resource is ready as
// soon as the API server has stored it.
func (p *Provider) awaitReady(
	ctx context.Context,
	k *ObjectKind,
	id string,
	inputs props.Map,
	seconds float64,
) (out props.Map, err error) {
	wanted, err := readiness(inputs)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	timeout, err := p.cluster.timeoutFor(seconds, inputs)
	if err != nil {
		return nil, err
	}
	err = p.await(ctx, timeout, func() (bool, error) {
		if out, err = p.cluster.read(k, id); err != nil {
			return false, err
		}
		for _, is := range wanted {
			if !is(out) {
				return false, nil
			}
		}
		return true, nil
	})
	return out, err
}

// awaitGone waits until an object is deleted.
func (p *Provider) awaitGone(
	ctx context.Context,
	k *ObjectKind,
	req *pulumirpc.DeleteRequest,
	inputs props.Map,
	uid string,
) (left props.Map, err error) {
	if k.token == NamespaceToken && Annotation(inputs, "pulumi.com/skipAwait") == "true" {
		return nil, nil
	}
	timeout, err := p.cluster.timeoutFor(req.GetTimeout(), inputs)
	if err != nil {
		return nil, err
	}
	err = p.await(ctx, timeout, func() (bool, error) {
		left, err = p.cluster.there(k, req.GetId(), uid)
		return left == nil, err
	})
	if errors.Is(err, errTimeout) {
		p.warn(ctx, req.GetUrn(), fmt.Sprintf("finalizers might be preventing deletion (%s)",
			strings.Join(left.Object("metadata").Strings("finalizers"), ", ")))
	}
	return left, err
}

// readiness parses the annotation pulumi.com/waitFor: one expression or a JSON list of them.
func readiness(inputs props.Map) ([]func(props.Map) bool, error) {
	text := Annotation(inputs, "pulumi.com/waitFor")
	if text == "" || Annotation(inputs, "pulumi.com/skipAwait") == "true" {
		return nil, nil
	}
	var expressions []string
	if json.Unmarshal([]byte(text), &expressions) != nil {
		expressions = []string{text}
	}
	var wanted []func(props.Map) bool
	for _, expression := range expressions {
		kind, what, _ := strings.Cut(expression, "=")
		name, value, given := strings.Cut(what, "=")
		switch {
		case kind == "condition":
			if !given {
				value = "True"
			}
			wanted = append(wanted, func(o props.Map) bool {
				return strings.EqualFold(ConditionsOf(o).Find(name).String("status"), value)
			})
		case kind == "jsonpath" && strings.HasPrefix(name, "{.") && strings.HasSuffix(name, "}"):
			path := strings.Split(name[len("{."):len(name)-1], ".")
			wanted = append(wanted, func(o props.Map) bool {
				v := at(o, path)
				return v != nil && (!given || fmt.Sprint(v) == value)
			})
		default:
			return nil, fmt.Errorf(`expected a "jsonpath=" or "condition=" prefix, got %q`, expression)
		}
	}
	return wanted, nil
}

// at returns the value at a path within an object, or nil if there is none.
func at(o props.Map, path []string) any {
	for _, key := range path[:len(path)-1] {
		o = o.Object(key)
	}
	return o[path[len(path)-1]]
}

// warn sends a warning about a resource to the engine.
func (p *Provider) warn(ctx context.Context, urn, message string) {
	if p.engine == nil {
		return
	}
	// A warning that the engine does not receive is lost; the error has the same text.
	_, _ = p.engine.Log(ctx, &pulumirpc.LogRequest{Severity: pulumirpc.LogSeverity_WARNING, Urn: urn, Message: message})
}
