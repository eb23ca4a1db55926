package moto

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// Calls are the requests that passed a proxy.
type Calls struct {
	mu      sync.Mutex
	actions map[string]int
	unknown []string
}

// Watch serves the API of a server at another address until the test ends, and keeps the IAM action that AWS would check for each request.
func Watch(t *testing.T, address string) (string, *Calls) {
	t.Helper()
	target, err := url.Parse(address)
	require.NoError(t, err)
	calls := &Calls{actions: map[string]int{}}
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		calls.add(r, string(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL, calls
}

// RequireAllowed fails if the policies do not allow the action of a request, or if there was no request. A request whose action is not known
// fails too.
func (c *Calls) RequireAllowed(t *testing.T, policies []policy.Document) {
	t.Helper()
	allowed := actionsOf(policies)
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Empty(t, c.unknown, "requests without a known IAM action")
	require.NotEmpty(t, c.actions)
	var denied []string
	for action := range c.actions {
		if action == "sts:GetCallerIdentity" { // AWS allows it to every caller
			continue
		}
		if !slices.Contains(allowed, action) {
			denied = append(denied, action)
		}
	}
	slices.Sort(denied)
	require.Empty(t, denied, "AWS would deny these requests")
}

// Unused returns the actions that the policies allow and that no request needed.
func (c *Calls) Unused(policies []policy.Document) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var unused []string
	for _, action := range actionsOf(policies) {
		if c.actions[action] == 0 {
			unused = append(unused, action)
		}
	}
	slices.Sort(unused)
	return unused
}

func actionsOf(policies []policy.Document) (all []string) {
	for _, document := range policies {
		for _, statement := range document.Statement {
			all = append(all, statement.Action...)
		}
	}
	return all
}

func (c *Calls) add(r *http.Request, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if action := actionOf(r, body); action != "" {
		c.actions[action]++
	} else {
		c.unknown = append(c.unknown, fmt.Sprintf("%s %s", r.Method, r.URL))
	}
}

var signedFor = regexp.MustCompile(`Credential=[^/]+/\d+/[^/]+/([^/]+)/aws4_request`)

// actionOf returns the IAM action of a request, "" if it is unknown. The protocols with a named operation have the action's name; the others
// are found by method, path and query. Source: "Actions, resources, and condition keys for AWS services" in the Service Authorization
// Reference.
func actionOf(r *http.Request, body string) string {
	scope := signedFor.FindStringSubmatch(r.Header.Get("Authorization"))
	if scope == nil {
		return ""
	}
	service := scope[1]
	if service == "tagging" {
		service = "tag"
	}
	if _, operation, named := strings.Cut(r.Header.Get("X-Amz-Target"), "."); named {
		return service + ":" + operation
	}
	if form, err := url.ParseQuery(body); err == nil && form.Get("Action") != "" {
		return service + ":" + form.Get("Action")
	}
	for _, rest := range restActions() {
		if rest.service == service && rest.method == r.Method && rest.path.MatchString(r.URL.Path) && (rest.query == "" || r.URL.Query().Has(rest.query)) {
			return service + ":" + rest.action
		}
	}
	return ""
}

// restAction is the IAM action of the requests with a method, a path and, unless it is "", a query parameter.
type restAction struct {
	service, method string
	path            *regexp.Regexp
	query, action   string
}

// restActions returns the actions of the services whose requests have no operation's name, the more special ones first.
func restActions() []restAction {
	var all []restAction
	for _, line := range strings.Split(strings.TrimSpace(`
route53 GET    /hostedzonesbyvpc                    - ListHostedZonesByVPC
route53 GET    /hostedzonesbyname                   - ListHostedZonesByName
route53 GET    /hostedzone/?                        - ListHostedZones
route53 POST   /hostedzone/?                        - CreateHostedZone
route53 GET    /hostedzone/[^/]+                    - GetHostedZone
route53 DELETE /hostedzone/[^/]+                    - DeleteHostedZone
route53 GET    /hostedzone/[^/]+/rrset/?            - ListResourceRecordSets
route53 POST   /hostedzone/[^/]+/rrset/?            - ChangeResourceRecordSets
route53 GET    /hostedzone/[^/]+/authorizevpcassociation/? - ListVPCAssociationAuthorizations
route53 GET    /tags/hostedzone/[^/]+               - ListTagsForResource
route53 POST   /tags/hostedzone/?                   - ListTagsForResources
route53 GET    /hostedzonecount                     - GetHostedZoneCount
route53 GET    /accountlimit/[^/]+                  - GetAccountLimit
route53 GET    /hostedzonelimit/[^/]+/[^/]+         - GetHostedZoneLimit
s3      GET    /?                                   - ListAllMyBuckets
s3      GET    /[^/]+/?                             location    GetBucketLocation
s3      GET    /[^/]+/?                             tagging     GetBucketTagging
s3      GET    /[^/]+/?                             policy      GetBucketPolicy
s3      GET    /[^/]+/?                             publicAccessBlock GetBucketPublicAccessBlock
s3      GET    /[^/]+/?                             versions    ListBucketVersions
s3      GET    /[^/]+/?                             list-type   ListBucket
s3      HEAD   /[^/]+/?                             - ListBucket
s3      POST   /[^/]+/?                             delete      DeleteObject
s3      DELETE /[^/]+/?                             - DeleteBucket
s3      HEAD   /[^/]+/.+                            - GetObject
s3      GET    /[^/]+/.+                            - GetObject
cloudfront GET /[^/]+/distribution                  - ListDistributions
cloudfront GET /[^/]+/distribution/[^/]+            - GetDistribution
cloudfront GET /[^/]+/origin-access-control         - ListOriginAccessControls
`), "\n") {
		fields := strings.Fields(line)
		path := fields[2]
		if fields[0] == "route53" {
			path = "/2013-04-01" + path
		}
		all = append(all, restAction{
			service: fields[0], method: fields[1], path: regexp.MustCompile("^" + path + "$"), query: strings.TrimPrefix(fields[3], "-"), action: fields[4],
		})
	}
	return all
}
