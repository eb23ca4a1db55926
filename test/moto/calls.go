package moto

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// Calls are the requests that passed a proxy.
type Calls struct {
	mu      sync.Mutex
	actions map[string]int
	// resources has the kinds of the resources that requests name, by action.
	resources map[string]map[string]int
	calls     []call
	unknown   []string
	changes   []Request
	// stops answer, once, a request with that action that is not sent on.
	stops map[string]stop
	// answered has the actions with an answer of AWS that a request got.
	answered map[string]bool
	// latency is how long a request takes in addition, nil for no time, and timed has all requests.
	latency func(changes bool) time.Duration
	timed   []Timed
}

// call is a request: its action, the resources that it names, and the tags that it sets, as "key=value".
type call struct {
	action          string
	resources, tags []string
}

// stop is an answer to the next request about certain resources.
type stop struct {
	about  func(ids []string) bool
	answer func() (status int, text string)
	// sent is true if the request is sent on before it is answered so.
	sent bool
}

// Watch serves the API of a server at another address until the test ends, and keeps the IAM action that AWS would
// check for each request.
func Watch(t *testing.T, address string) (string, *Calls) {
	t.Helper()
	return watch(t, address, nil)
}

// watch is Watch with other answers than the server's.
func watch(t *testing.T, address string, answers []Answer) (string, *Calls) {
	t.Helper()
	target, err := url.Parse(address)
	require.NoError(t, err)
	byAction := map[string]Answer{}
	for _, answer := range answers {
		byAction[answer.Action] = answer
	}
	calls := &Calls{actions: map[string]int{}, resources: map[string]map[string]int{}, answered: map[string]bool{}}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		action := calls.add(r, string(body))
		defer calls.take(action, r.UserAgent())()
		if stop := calls.stop(r, action, idsOf(r, string(body))); stop != nil {
			sender := w
			defer func() {
				status, text := stop.answer()
				http.Error(sender, text, status)
			}()
			if w = httptest.NewRecorder(); !stop.sent {
				return
			}
		}
		answer, has := byAction[action]
		if has {
			calls.note(action)
		}
		form, _ := url.ParseQuery(string(body)) // the protocol of EC2, whose requests are forms
		if answer.Instead != nil {
			if status, text, answered := answer.Instead(r, form); answered {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, text)
				return
			}
		}
		if answer.Request != nil {
			text := answer.Request(r, string(body))
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
			r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		}
		forward := httputil.NewSingleHostReverseProxy(target)
		if answer.Change != nil {
			r.Header.Del("Accept-Encoding")
			forward.ModifyResponse = func(r *http.Response) error { return changed(r, answer, form) }
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL, calls
}

// changed replaces an answer of the server by that of AWS.
func changed(r *http.Response, answer Answer, form url.Values) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	status, text := answer.Change(form, r.StatusCode, string(body))
	r.StatusCode, r.Status = status, http.StatusText(status)
	r.Body = io.NopCloser(strings.NewReader(text))
	r.ContentLength = int64(len(text))
	r.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}

// Stop answers the next request with that action, about resources with IDs and ARNs that about accepts, instead of
// sending it on.
func (c *Calls) Stop(action string, about func(ids []string) bool, answer func() (status int, text string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops = map[string]stop{action: {about: about, answer: answer}}
}

// StopChange answers the nth of the next requests that change something, after it is sent on if sent is true.
func (c *Calls) StopChange(n int, sent bool, answer func() (status int, text string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops = map[string]stop{anyChange: {answer: answer, sent: sent, about: func([]string) bool {
		n--
		return n == 0
	}}}
}

// StopNone sends each further request on.
func (c *Calls) StopNone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops = nil
}

// anyChange stands for the action of each request that changes something.
const anyChange = ""

// stop returns what answers a request instead of the server, nil if nothing does, and forgets it.
func (c *Calls) stop(r *http.Request, action string, ids []string) *stop {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, each := c.stops[anyChange]
	switch _, changes := newRequest(r, action, ""); {
	case each && changes:
		action = anyChange
	case each:
		return nil
	}
	stop, is := c.stops[action]
	if !is || !stop.about(ids) {
		return nil
	}
	delete(c.stops, action)
	return &stop
}

// note notes that a request got an answer of AWS.
func (c *Calls) note(action string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered[action] = true
}

// Answered returns the actions whose requests got an answer of AWS instead of the server's, in alphabetical order.
func (c *Calls) Answered() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.answered))
}

// Actions returns the actions of the requests, in alphabetical order.
func (c *Calls) Actions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.actions))
}

// Named returns the requests with the kinds of the resources that they name, as "ec2:CreateTags eni-*", in alphabetical
// order, and those whose action is unknown.
func (c *Calls) Named() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	named := slices.Clone(c.unknown)
	for action, resources := range c.resources {
		for kinds := range resources {
			named = append(named, strings.TrimSpace(action+" "+kinds))
		}
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// Recorded returns the requests without repetitions, in alphabetical order: the action, the resources by the names that
// name returns for their IDs and ARNs, and the tags that are set.
func (c *Calls) Recorded(name func(id string) string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var lines []string
	for _, r := range c.calls {
		names := make([]string, len(r.resources))
		for i, id := range r.resources {
			names[i] = name(id)
		}
		slices.Sort(names)
		line := strings.TrimSpace(r.action + " " + strings.Join(slices.Compact(names), " "))
		if len(r.tags) > 0 {
			line += ", tags " + strings.Join(r.tags, " ")
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// Forget forgets the requests so far.
func (c *Calls) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.actions, c.resources, c.calls, c.unknown = map[string]int{}, map[string]map[string]int{}, nil, nil
}

// RequireAllowed fails if the policies do not allow the action of a request, or if there was no request. A request
// whose action is not known fails too.
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

// add keeps a request and returns its action.
func (c *Calls) add(r *http.Request, body string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	action := actionOf(r, body)
	if change, is := newRequest(r, action, body); is {
		c.changes = append(c.changes, change)
	}
	if action == "" {
		c.unknown = append(c.unknown, fmt.Sprintf("%s %s", r.Method, r.URL))
		return ""
	}
	c.actions[action]++
	if c.resources[action] == nil {
		c.resources[action] = map[string]int{}
	}
	c.resources[action][kindsOf(r, body)]++
	c.calls = append(c.calls, call{action, idsOf(r, body), tagsOf(body)})
	return action
}

// identified matches an ID of EC2 or Route 53, and an ARN.
var identified = regexp.MustCompile(`\b(?:vpce-svc|[a-z]{1,8})-[0-9a-f]{8,17}\b|hostedzone/[A-Z0-9]+|arn:[a-z-]+:[a-z0-9]+:[a-z0-9-]*:[0-9]*:[^\s"'<>&]+`)

// idsOf returns the IDs and ARNs of the resources that a request names.
func idsOf(r *http.Request, body string) []string {
	text := r.URL.Path + "\n" + body
	if form, err := url.ParseQuery(body); err == nil && form.Get("Action") != "" {
		text = r.URL.Path
		for _, key := range slices.Sorted(maps.Keys(form)) {
			text += "\n" + strings.Join(form[key], "\n")
		}
	}
	ids := identified.FindAllString(text, -1)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// tagKey matches the parameter with the key of a tag that a request sets.
var tagKey = regexp.MustCompile(`^((?:TagSpecification\.\d+\.)?Tag\.\d+\.|Tags\.member\.\d+\.)Key$`)

// tagsOf returns the tags that a request of EC2 or ELB sets.
func tagsOf(body string) (tags []string) {
	form, _ := url.ParseQuery(body) // other requests have no such parameters
	for parameter := range form {
		if m := tagKey.FindStringSubmatch(parameter); m != nil {
			tags = append(tags, form.Get(parameter)+"="+form.Get(m[1]+"Value"))
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// named matches an ID of EC2 or Route 53, and the kind in an ARN.
var named = regexp.MustCompile(`\b((?:vpce-svc|[a-z]{1,8})-)[0-9a-f]{8,17}\b|(hostedzone/)[A-Z0-9]+|arn:[a-z-]+:[a-z0-9]+:[a-z0-9-]*:[0-9]*:([a-z-]+/)`)

// kindsOf returns the kinds of the resources that a request names, as "sg-* vpc-*".
func kindsOf(r *http.Request, body string) string {
	form, err := url.QueryUnescape(body)
	if err != nil {
		form = body
	}
	kinds := map[string]bool{}
	for _, match := range named.FindAllStringSubmatch(r.URL.Path+" "+form, -1) {
		kinds[match[1]+match[2]+match[3]+"*"] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(kinds)), " ")
}

var signedFor = regexp.MustCompile(`Credential=[^/]+/\d+/[^/]+/([^/]+)/aws4_request`)

// actionOf returns the IAM action of a request, "" if it is unknown. The protocols with a named operation have the
// action's name; the others are found by method, path and query. Source: "Actions, resources, and condition keys for
// AWS services" in the Service Authorization Reference.
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
		if rest.service == service && rest.method == r.Method && rest.path.MatchString(r.URL.Path) && (rest.query == "" ||
			r.URL.Query().Has(rest.query)) {
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
route53 POST   /hostedzone/[^/]+/authorizevpcassociation/? - CreateVPCAssociationAuthorization
route53 POST   /hostedzone/[^/]+/deauthorizevpcassociation/? - DeleteVPCAssociationAuthorization
route53 POST   /hostedzone/[^/]+/associatevpc/?     - AssociateVPCWithHostedZone
route53 POST   /hostedzone/[^/]+/disassociatevpc/?  - DisassociateVPCFromHostedZone
route53 GET    /tags/hostedzone/[^/]+               - ListTagsForResource
route53 POST   /tags/hostedzone/?                   - ListTagsForResources
route53 POST   /tags/hostedzone/[^/]+               - ChangeTagsForResource
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
s3      PUT    /[^/]+/?                             tagging     PutBucketTagging
s3      HEAD   /[^/]+/?                             - ListBucket
s3      POST   /[^/]+/?                             delete      DeleteObject
s3      DELETE /[^/]+/?                             - DeleteBucket
s3      HEAD   /[^/]+/.+                            - GetObject
s3      GET    /[^/]+/.+                            - GetObject
cloudfront GET /[^/]+/distribution                  - ListDistributions
cloudfront POST /[^/]+/distribution                 - CreateDistribution
cloudfront PUT /[^/]+/distribution/[^/]+/config     - UpdateDistribution
cloudfront GET /[^/]+/tagging                       - ListTagsForResource
cloudfront POST /[^/]+/tagging                      - TagResource
cloudfront GET /[^/]+/distribution/[^/]+            - GetDistribution
cloudfront GET /[^/]+/origin-access-control         - ListOriginAccessControls
`), "\n") {
		fields := strings.Fields(line)
		path := fields[2]
		if fields[0] == "route53" {
			path = "/2013-04-01" + path
		}
		all = append(all, restAction{
			service: fields[0], method: fields[1], path: regexp.MustCompile("^" + path + "$"),
			query: strings.TrimPrefix(fields[3], "-"), action: fields[4],
		})
	}
	return all
}
