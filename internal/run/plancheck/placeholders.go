package plancheck

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// placeholders make the values that a dry run sends in place of those that AWS has yet to create. They have the form of
// AWS's, with the account, the region and the names of the stack, so that rules about those judge them as they judge
// the later values.
type placeholders struct {
	location.Location
	// roles is the beginning of the names of the stack's roles, with their path: "hypershift/demo-x1-".
	roles string
}

// placeholdersFor returns the placeholders of a plan's objects.
func (c *Checker) placeholdersFor(p *changes.Plan) placeholders {
	at := placeholders{Location: location.Location{Account: "123456789012", Region: "us-east-1"}}
	if c.Connection.Target != nil {
		for _, own := range c.Connection.Target.Accounts {
			if own.Provider == "" {
				at.Account, at.Region = cmp.Or(own.Account, at.Account), cmp.Or(own.Region, at.Region)
			}
		}
	}
	at.Partition = hypershift.Partition(at.Region)
	for _, step := range plan.Listed(p) {
		of := props.Map(step.New)
		if step.Type == awstype.Role && at.roles == "" {
			at.roles = strings.TrimPrefix(of.String("path"), "/")
		}
	}
	for _, step := range plan.Listed(p) {
		if infraID := props.Map(step.New).String("spec", "infraID"); infraID != "" &&
			!strings.Contains(infraID, changes.UnknownValue) {
			at.roles += infraID + "-"
			break
		}
	}
	return at
}

// form is the form of a kind of value in AWS.
type form struct {
	// path matches the paths of fields that have such a value, and words a message that is about it.
	path, words *regexp.Regexp
	// value returns a value for a field; digits are 64 hexadecimal digits, which differ from field to field.
	value func(of placeholders, field, digits string) string
}

func id(prefix string) func(placeholders, string, string) string {
	return func(_ placeholders, _, digits string) string { return prefix + "-0" + digits[:16] }
}

// forms are the forms of AWS's values. The first that matches counts.
var forms = []form{
	{regexp.MustCompile(`(?i)(activeKey|backupKey|kmsKey)\.?arn$|encryptionKey$`), words("kms"),
		func(of placeholders, _, digits string) string {
			return of.ARN("kms", fmt.Sprintf("key/%s-%s-4%s-a%s-%s", digits[:8], digits[8:12], digits[13:16], digits[17:20],
				digits[20:32]))
		}},
	{regexp.MustCompile(`(?i)arn$`), words("arn|role"), func(of placeholders, field, _ string) string {
		return of.GlobalARN("iam", "role/"+of.roles+strings.ToLower(strings.TrimSuffix(field, "ARN")))
	}},
	{regexp.MustCompile(`(?i)vpc(\.id|id)?$`), words("vpc"), id("vpc")},
	{regexp.MustCompile(`(?i)subnets?(\.id|id)?$`), words("subnet"), id("subnet")},
	{regexp.MustCompile(`(?i)securityGroup(s|ID|Overrides\.\w+)?(\.id)?$`), words("security ?group"), id("sg")},
	{regexp.MustCompile(`(?i)(ami|image)(\.id)?$`), words("ami"), id("ami")},
	{regexp.MustCompile(`(?i)zoneid$`), words("hosted zone|dns zone"), func(_ placeholders, _, digits string) string {
		return "Z" + strings.ToUpper(digits[:20])
	}},
	{regexp.MustCompile(`(?i)issuerURL$`), words("issuer"), func(of placeholders, _, digits string) string {
		return "https://" + digits[:12] + ".s3." + of.Region + "." + hypershift.DNSSuffix(of.Partition) + "/" + digits[:8]
	}},
	{regexp.MustCompile(``), nil, func(_ placeholders, _, digits string) string { return "placeholder-" + digits[:12] }},
}

// content stands for the contents of Secrets. It is that of a pull secret: some types of Secrets require JSON.
const content = `{"auths": {"registry.example.com": {"auth": "cGxhY2Vob2xkZXI6cGxhY2Vob2xkZXI="}}}`

var contents = form{words: words("data|content|auth|registr(y|ie)|dockerconfigjson")}

// words returns what matches a text with one of the words, in the plural too.
func words(list string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^\w-])(` + list + `)s?($|[^\w-])`)
}

// filled is an object whose unknown values are replaced.
type filled struct {
	object map[string]any
	// values are the replacements, by the paths of their fields, and forms what they are.
	values map[string]string
	forms  []form
}

// fill returns an object with values in place of those that are not known, of a Secret in place of its content. They
// are those of like, an object that exists, where it has some.
func (of placeholders) fill(object, like map[string]any) *filled {
	f := &filled{values: map[string]string{}}
	f.object, _ = f.value(of, object, like, "", props.Map(object).String("kind") == "Secret").(map[string]any)
	return f
}

func (f *filled) value(of placeholders, value, like any, path string, secret bool) any {
	switch v := value.(type) {
	case map[string]any:
		out, like := map[string]any{}, asMap(like)
		for key, inner := range v {
			switch {
			case path == "" && (strings.HasPrefix(key, "__") || key == "status"):
			case path == "" && secret && (key == "data" || key == "stringData"):
				data := asMap(out["stringData"])
				if data == nil {
					data = map[string]any{}
				}
				for name := range asMap(inner) {
					data[name], f.values[key+"."+name] = content, content
				}
				out["stringData"], f.forms = data, append(f.forms, contents)
			default:
				out[key] = f.value(of, inner, like[key], strings.TrimPrefix(path+"."+key, "."), secret)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		like, _ := like.([]any)
		for i, inner := range v {
			var one any
			if i < len(like) {
				one = like[i]
			}
			out[i] = f.value(of, inner, one, fmt.Sprintf("%s[%d]", path, i), secret)
		}
		return out
	case string:
		if !strings.Contains(v, changes.UnknownValue) {
			return v
		}
		plain := indexes.ReplaceAllString(path, "")
		i := slices.IndexFunc(forms, func(one form) bool { return one.path.MatchString(plain) })
		if v != changes.UnknownValue {
			i = len(forms) - 1 // a part of a text
		}
		value := forms[i].value(of, plain[strings.LastIndex(plain, ".")+1:], fmt.Sprintf("%x", sha256.Sum256([]byte(path))))
		if living, is := like.(string); is && living != "" && v == changes.UnknownValue {
			value = living
		}
		f.values[path], f.forms = value, append(f.forms, forms[i])
		return strings.ReplaceAll(v, changes.UnknownValue, value)
	}
	return value
}

// indexes matches the positions of elements of lists in a path.
var indexes = regexp.MustCompile(`\[\d+\]`)

func asMap(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}

// withoutUnknown returns a new object without those of its values that are not known and that the schema of its kind
// lets be left out, alone or with the fields beside them. A reference by ID becomes one by filters.
func withoutUnknown(object, schema map[string]any) map[string]any {
	out := map[string]any{}
	secret := props.Map(object).String("kind") == "Secret"
	for key, inner := range object {
		if !secret || key != "data" && key != "stringData" {
			out[key] = inner
		}
	}
	if spec, _ := leaveOut(object["spec"], schemaAt(schema, "spec")); spec != nil {
		out["spec"] = spec
	}
	return out
}

// leaveOut returns a value without what is not known. wanting is true if it still has an unknown value that it needs.
func leaveOut(value any, schema map[string]any) (left any, wanting bool) {
	switch v := value.(type) {
	case map[string]any:
		required, _ := schema["required"].([]any)
		out := map[string]any{}
		for key, inner := range v {
			optional := schema != nil && !slices.Contains(required, any(key))
			if text, is := inner.(string); is && strings.Contains(text, changes.UnknownValue) {
				switch {
				case key == "id" && schemaAt(schema, "filters") != nil:
					out["filters"] = []any{map[string]any{"name": "tag:Name", "values": []any{"placeholder"}}}
				case !optional:
					out[key], wanting = inner, true
				}
				continue
			}
			left, lacks := leaveOut(inner, schemaAt(schema, key))
			if !lacks || !optional {
				out[key] = left
			}
		}
		return out, wanting
	case []any:
		items, _ := schema["items"].(map[string]any)
		out := make([]any, len(v))
		for i, inner := range v {
			var lacks bool
			out[i], lacks = leaveOut(inner, items)
			wanting = wanting || lacks
		}
		return out, wanting
	}
	return value, false
}

// schemaAt returns the schema of a property, nil without one.
func schemaAt(schema map[string]any, key string) map[string]any {
	properties := asMap(schema["properties"])
	if more := asMap(schema["additionalProperties"]); properties[key] == nil && more != nil {
		return more
	}
	return asMap(properties[key])
}

// concerns reports whether a message is about a value that is not known: by the value, its field or its kind.
func (f *filled) concerns(text string) bool {
	for path, value := range f.values {
		plain := indexes.ReplaceAllString(path, "")
		if strings.Contains(text, value) || strings.Contains(text, plain) ||
			strings.Contains(text, strings.ReplaceAll(plain, ".", "/")) {
			return true
		}
	}
	return slices.ContainsFunc(f.forms, func(one form) bool { return one.words != nil && one.words.MatchString(text) })
}
