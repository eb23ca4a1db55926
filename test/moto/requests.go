package moto

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Request is a request that changes something.
type Request struct {
	// Action is the IAM action, or the method where it is not known.
	Action string
	// Path and Query are the URL's, of requests without a form.
	Path, Query string
	// Parameters are the body: a form and XML as objects and lists of texts.
	Parameters any
}

// reads matches the names of actions that change nothing.
var reads = regexp.MustCompile(`:(Describe|List|Get|Head|AssumeRole|Simulate)`)

// tokens are the parameters that the SDK draws by lot.
var tokens = []string{"Action", "Version", "ClientToken", "ClientRequestToken", "CallerReference", "IdempotencyToken"}

// newRequest returns a request of the API; false for one that only reads.
func newRequest(r *http.Request, action, body string) (Request, bool) {
	request := Request{Action: action}
	if request.Action == "" {
		request.Action = "s3:" + r.Method
		if scope := signedFor.FindStringSubmatch(r.Header.Get("Authorization")); scope != nil {
			request.Action = scope[1] + ":" + r.Method
		}
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return request, false
		}
	}
	if reads.MatchString(request.Action) {
		return request, false
	}
	form, err := url.ParseQuery(body)
	switch {
	case err == nil && form.Get("Action") != "":
		request.Parameters = formParameters(form)
	case strings.HasPrefix(body, "{"):
		var object map[string]any
		if json.Unmarshal([]byte(body), &object) != nil {
			object = map[string]any{"body": strconv.Itoa(len(body)) + " bytes"}
		}
		for _, token := range tokens {
			delete(object, token)
		}
		request.Parameters = object
	case strings.HasPrefix(body, "<"):
		request.Parameters = xmlParameters(body)
	case body != "":
		request.Parameters = map[string]any{"body": strconv.Itoa(len(body)) + " bytes"}
	}
	if form.Get("Action") == "" {
		request.Path, request.Query = r.URL.Path, r.URL.RawQuery
	}
	return request, true
}

// formParameters returns the parameters of a form as objects and lists: "Tag.1.Key" is the key of the first element of
// Tag.
func formParameters(form url.Values) any {
	root := map[string]any{}
	for key, values := range form {
		if slices.Contains(tokens, key) {
			continue
		}
		at, names := root, strings.Split(key, ".")
		for _, name := range names[:len(names)-1] {
			inner, is := at[name].(map[string]any)
			if !is {
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
		at[names[len(names)-1]] = strings.Join(values, ",")
	}
	return listed(root)
}

// listed replaces objects whose keys are numbers by lists. Their order is not kept: the provider composes them of sets.
func listed(value any) any {
	object, is := value.(map[string]any)
	if !is {
		return value
	}
	if members, is := object["member"]; is && len(object) == 1 {
		return listed(members)
	}
	var list []any
	for key, inner := range object {
		object[key] = listed(inner)
		if _, err := strconv.Atoi(key); err == nil {
			list = append(list, object[key])
		}
	}
	if len(list) > 0 && len(list) == len(object) {
		return list
	}
	return object
}

// xmlParameters returns the elements of a document: the children of an element by their names, as a list where a name
// occurs twice.
func xmlParameters(body string) any {
	decoder := xml.NewDecoder(strings.NewReader(body))
	root, text := map[string]any{}, ""
	stack := []map[string]any{root}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) || err != nil {
			return root
		}
		switch token := token.(type) {
		case xml.StartElement:
			stack, text = append(stack, map[string]any{}), ""
		case xml.CharData:
			text += strings.TrimSpace(string(token))
		case xml.EndElement:
			children, parent := stack[len(stack)-1], stack[len(stack)-2]
			stack = stack[:len(stack)-1]
			var value any = children
			if len(children) == 0 {
				value = text
			}
			text = ""
			switch before, is := parent[token.Name.Local]; {
			case slices.Contains(tokens, token.Name.Local):
			case !is:
				parent[token.Name.Local] = value
			default:
				if list, already := before.([]any); already {
					parent[token.Name.Local] = append(list, value)
				} else {
					parent[token.Name.Local] = []any{before, value}
				}
			}
		}
	}
}

// Changes returns the requests since the last call that change something.
func (c *Calls) Changes() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	changes := c.changes
	c.changes = nil
	return changes
}
