package orphan

import (
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Query is what is known of a resource whose ID is not known.
type Query struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc".
	Type string
	// Inputs are those of its creation, under Pulumi's names.
	Inputs map[string]any
}

func (q Query) find() awstype.Find {
	record, _ := awstype.Of(q.Type)
	return record.Find
}

// Tags are the tags among the inputs, the provider's default tags included.
func (q Query) Tags() map[string]string {
	tags := map[string]string{}
	for _, input := range []string{"tags", "tagsAll"} {
		given, _ := q.Inputs[input].(map[string]any)
		for key, value := range given {
			if text, ok := value.(string); ok {
				tags[key] = text
			}
		}
	}
	return tags
}

// Identified is whether a tag among the inputs names the one stack or cluster that the resource is of. Tags that users choose may be on
// the resources of several stacks.
func (q Query) Identified() bool {
	for key, value := range q.Tags() {
		if hypershift.NamesOwner(key, value) {
			return true
		}
	}
	return false
}

// Text is a string among the inputs, "" where there is none.
func (q Query) Text(input string) string {
	text, _ := q.Inputs[input].(string)
	return text
}

// texts are the strings of an input, or of a key of the objects in it, "vpcs.vpcId".
func (q Query) texts(input string) []string {
	name, key, nested := strings.Cut(input, ".")
	if !nested {
		return []string{q.Text(name)}
	}
	var texts []string
	list, _ := q.Inputs[name].([]any)
	for _, item := range list {
		object, _ := item.(map[string]any)
		if text, ok := object[key].(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// CarriedBy is whether tags hold all of the query's.
func (q Query) CarriedBy(tags map[string]any) bool {
	for key, value := range q.Tags() {
		if tags[key] != value {
			return false
		}
	}
	return true
}

// Replaceable is whether creating the resource does no harm where it exists already: creation only sets something, or takes over what
// exists, as everything in Kubernetes does.
func (q Query) Replaceable() bool {
	overwrites, _ := q.Inputs["allowOverwrite"].(bool)
	return overwrites || q.find().Replaceable
}

// Remedy is what somebody must do about the resource where AWS cannot be asked for it.
func (q Query) Remedy() string {
	if remedy := q.find().Remedy; remedy != "" {
		return remedy
	}
	return "look for it there and delete it"
}

// Findable is whether AWS can be asked for the resource such that the answer is about this stack's.
func (q Query) Findable() bool {
	return (q.Keyed() || q.Searched()) && (q.Identified() || len(q.PartOf()) > 0)
}

// Keyed is whether the resource has an import ID that follows from its inputs. AWS allows one resource per import ID.
func (q Query) Keyed() bool { return len(q.find().ImportID) > 0 }

// Searched is whether the resource is searched for by Account.Find: it has no import ID that follows from its inputs, but a tag that names
// its stack or cluster, or attributes by which it is told from others without tags.
func (q Query) Searched() bool {
	find := q.find()
	switch {
	case q.Keyed():
		return false
	case find.Tags.Listed(): // else others' would be found
		return q.Identified()
	}
	return len(find.Attributes) > 0
}

// Checked is whether the resource is looked up by Account.Exists before it is imported.
func (q Query) Checked() bool { return q.find().Checked }

// Importable is whether the provider can read the resource by its ID alone.
func (q Query) Importable() bool { return !q.find().NotImportable }

// PartOf are the IDs of what the resource is part of. If that is the stack's, so is a resource without tags.
func (q Query) PartOf() []string {
	var ids []string
	for _, input := range q.find().PartOf {
		ids = append(ids, q.texts(input)...)
	}
	return ids
}

// ImportID is the ID by which the provider reads the resource, "" where it does not follow from the inputs.
func (q Query) ImportID(place Place) string {
	for _, template := range q.find().ImportID {
		if id, complete := q.fill(template, place); complete {
			return id
		}
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// fill replaces the placeholders of an import ID's template. It reports false where an input is not given.
func (q Query) fill(template string, place Place) (id string, complete bool) {
	complete = true
	id = placeholder.ReplaceAllStringFunc(template, func(match string) string {
		switch name := strings.Trim(match, "{}"); name {
		case "partition":
			return place.Partition
		case "region":
			return place.Region
		case "account":
			return place.Account
		case "dnsSuffix":
			return dnsSuffix(place.Partition)
		case "path": // IAM's default
			if q.Text(name) == "" {
				return "/"
			}
			return q.Text(name)
		default:
			text := strings.TrimPrefix(q.Text(name), "https://")
			// An ID has the region of a VPC only where that is not the provider's.
			complete = complete && text != "" && (name != "vpcRegion" || text != place.Region)
			return text
		}
	})
	return id, complete
}

func dnsSuffix(partition string) string {
	if partition == "aws-cn" {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}
