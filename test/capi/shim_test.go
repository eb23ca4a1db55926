package capi

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// shim serves AWS's API by moto, records the calls, and answers what moto does not. Each difference is a row of shims.
type shim struct {
	address string
	mu      sync.Mutex
	// calls are the actions with the number of their calls, such as "ec2:DescribeVpcs".
	calls map[string]int
}

// answer is what AWS answers where moto answers something else.
type answer struct {
	// why is what the managers need.
	why string
	// change returns AWS's status and text for moto's.
	change func(status int, text string) (int, string)
}

// shims are the answers of moto that are changed, by action.
var shims = map[string]answer{
	"elasticloadbalancing:DescribeLoadBalancers": {
		"the names of load balancers are localhost: CAPA waits until they resolve",
		func(status int, text string) (int, string) {
			return status, balancerName.ReplaceAllString(text, "<DNSName>localhost</DNSName>")
		},
	},
	"elasticloadbalancing:DescribeTargetGroups": {
		"a load balancer without target groups has an empty list, and no error",
		func(status int, text string) (int, string) {
			if !strings.Contains(text, "TargetGroupNotFound") {
				return status, text
			}
			return http.StatusOK, `<DescribeTargetGroupsResponse xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/">` +
				`<DescribeTargetGroupsResult><TargetGroups/></DescribeTargetGroupsResult></DescribeTargetGroupsResponse>`
		},
	},
}

// balancerName matches the DNS name of a load balancer in an answer.
var balancerName = regexp.MustCompile(`<DNSName>[^<]*</DNSName>`)

func startShim(t *testing.T, moto string) *shim {
	t.Helper()
	target, err := url.Parse(moto)
	require.NoError(t, err)
	s := &shim{calls: map[string]int{}}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ModifyResponse = func(r *http.Response) error {
		shim, changed := shims[r.Request.Header.Get("X-Action")]
		if !changed {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		status, changedText := shim.change(r.StatusCode, string(body))
		r.StatusCode, r.Status = status, http.StatusText(status)
		text := []byte(changedText)
		r.Body = io.NopCloser(bytes.NewReader(text))
		r.ContentLength = int64(len(text))
		r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		action := actionOf(r, body)
		s.mu.Lock()
		s.calls[action]++
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set("X-Action", action)
		r.Header.Del("Accept-Encoding")
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL
	return s
}

// signedFor matches the service in the signature of a request.
var signedFor = regexp.MustCompile(`Credential=[^/]*/[^/]*/[^/]*/([^/]*)/`)

// actionOf returns the action of a request, as IAM names it.
func actionOf(r *http.Request, body []byte) string {
	service := "unsigned"
	if match := signedFor.FindStringSubmatch(r.Header.Get("Authorization")); match != nil {
		service = match[1]
	}
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		return service + ":" + target[strings.LastIndex(target, ".")+1:]
	}
	values, err := url.ParseQuery(string(body))
	if err == nil && values.Get("Action") != "" {
		tagged, _, _ := strings.Cut(values.Get("ResourceId.1"), "-") // the type of what is tagged, such as "i"
		return strings.TrimSpace(service + ":" + values.Get("Action") + " " + tagged)
	}
	return fmt.Sprintf("%s:%s %s", service, r.Method, r.URL.Path)
}

// reads are the beginnings of the names of actions that change nothing.
var reads = regexp.MustCompile(`:(Describe|Get|List|GET|HEAD)`)

// writes returns the actions since the last call that change something, with the number of their calls.
func (s *shim) writes() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]int{}
	for action, calls := range s.calls {
		if !reads.MatchString(action) {
			found[action] = calls
		}
	}
	s.calls = map[string]int{}
	return found
}
