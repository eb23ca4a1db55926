package account

import (
	"regexp"
	"strings"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Query describes a resource whose ID is unknown.
type Query struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc".
	Type string
	// Inputs are the inputs of its creation, under Pulumi's names.
	Inputs map[string]any
	// IDs are the IDs of the wanted instances; empty for all.
	IDs []string
	// Complete lists also instances that AWS is deleting, and reads the tags that its list lacks, with requests for each
	// instance.
	Complete bool

	// filters are EC2's filters for the inputs.
	filters []ec2types.Filter
}

func (q Query) find() awstype.Find {
	record, _ := awstype.Lookup(q.Type)
	return record.Find
}

// Tags returns the tags among the inputs, including the provider's default tags.
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

// Identified reports whether a tag among the inputs names the stack or cluster of the resource. Tags that users set may
// be on the resources of several stacks.
func (q Query) Identified() bool {
	for key, value := range q.Tags() {
		if hypershift.NamesOwner(key, value) {
			return true
		}
	}
	return false
}

// Text returns a string among the inputs, or "" if there is none.
func (q Query) Text(input string) string {
	text, _ := q.Inputs[input].(string)
	return text
}

// texts returns the strings of an input, or those at a key of the objects in it, "vpcs.vpcId".
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

// CarriedBy reports whether tags contain all of the query's tags.
func (q Query) CarriedBy(tags map[string]any) bool {
	for key, value := range q.Tags() {
		if tags[key] != value {
			return false
		}
	}
	return true
}

// Replaceable reports whether creating the resource does no harm if it exists already: the creation only sets
// something, or takes over what exists, as for all Kubernetes objects.
func (q Query) Replaceable() bool {
	overwrites, _ := q.Inputs["allowOverwrite"].(bool)
	return overwrites || q.find().Replaceable
}

// Remedy returns what users must do about the resource if AWS cannot be searched for it.
func (q Query) Remedy() string {
	if remedy := q.find().Remedy; remedy != "" {
		return remedy
	}
	return "find it in AWS and delete it"
}

// Findable reports whether AWS can be searched for the resource, with a result that identifies this stack's.
func (q Query) Findable() bool {
	return (q.Keyed() || q.Searched()) && (q.Identified() || len(q.PartOf()) > 0)
}

// Keyed reports whether the resource has an import ID composed of its inputs. AWS allows one resource per import ID.
func (q Query) Keyed() bool { return len(q.find().ImportID) > 0 }

// Searched reports whether Account.Find searches for the resource: it has no import ID composed of its inputs, but a
// tag that names its stack or cluster, or attributes that identify it without tags.
func (q Query) Searched() bool {
	find := q.find()
	switch {
	case q.Keyed():
		return false
	case find.Tags.Listed(): // otherwise resources of others would be found
		return q.Identified()
	}
	return len(find.Attributes) > 0
}

// Checked reports whether Account.Exists looks the resource up before it is imported.
func (q Query) Checked() bool { return q.find().Checked }

// TaggedLater reports whether an instance without tags may be one whose creation was interrupted.
func (q Query) TaggedLater() bool { return q.find().TaggedLater }

// Emptied returns the outputs that an instance has only if its creation was interrupted.
func (q Query) Emptied() []string { return q.find().Emptied }

// PartOf returns the IDs of the resources that it is part of. A resource without tags belongs to the stack if they do.
func (q Query) PartOf() []string {
	var ids []string
	for _, input := range q.find().PartOf {
		ids = append(ids, q.texts(input)...)
	}
	return ids
}

// ImportID returns the ID for an import, or "" if it cannot be composed of the inputs.
func (q Query) ImportID(place inventory.Place) string {
	for _, template := range q.find().ImportID {
		if id, complete := q.fill(template, place); complete {
			return id
		}
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// fill replaces the placeholders in the template of an import ID. complete is false if an input is not set.
func (q Query) fill(template string, place inventory.Place) (id string, complete bool) {
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
			return hypershift.DNSSuffix(place.Partition)
		case "path": // IAM's default
			if q.Text(name) == "" {
				return "/"
			}
			return q.Text(name)
		default:
			text := strings.TrimPrefix(q.Text(name), "https://")
			// The ID contains the region of a VPC only if it is not the provider's.
			complete = complete && text != "" && (name != "vpcRegion" || text != place.Region)
			return text
		}
	})
	return id, complete
}
