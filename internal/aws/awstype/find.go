package awstype

import (
	"regexp"
	"strings"
)

// Find is how an instance is found if only its inputs are known, or only its tags. A type has an ImportID, is listed by
// Tags or by Attributes, is Replaceable, or has a Remedy.
type Find struct {
	// ImportID are templates of the ID that the provider imports an instance by, as in Scope.ARNs. {dnsSuffix} is the
	// partition's. The first template whose inputs are all given counts. AWS allows one instance per import ID.
	ImportID []string
	// Tags is where AWS lists the type's tags. The zero value is for types without tags, and for those that need a list of
	// their own.
	Tags TagList
	// Attributes are the inputs that identify an instance in AWS's list of the type, with or without tags.
	Attributes []string
	// PartOf are the inputs that name what an instance is part of: if that is the stack's, so is an instance without tags.
	// An element of a list of objects is written "vpcs.vpcId".
	PartOf []string
	// Checked is true if the provider's import by ImportID is not reliable: it returns an instance that does not exist, or
	// another one. The instance is looked up before it is imported.
	Checked bool
	// NotImportable is true if the provider has no import for the type.
	NotImportable bool
	// TaggedLater is true if the provider tags an instance in a request after the one that creates it: an instance without
	// tags may be the stack's.
	TaggedLater bool
	// Emptied are the outputs that AWS fills when it creates an instance, and that the provider empties before the
	// creation ends. No update does: an instance that has any of them must be replaced.
	Emptied []string
	// Replaceable is true if creating an instance that exists already is harmless: creation only changes a setting.
	Replaceable bool
	// Remedy says what users must do about an instance that cannot be searched for.
	Remedy string
	// Actions are the IAM actions of a search, none if the import ID is sufficient.
	Actions []string
}

// Lost is how an instance that a state has lost is found by the stack's tags, if its other searches need its name.
type Lost struct {
	// Tags is where AWS lists the type's tags. The zero value is for IAM's users, whose tags AWS lists one by one.
	Tags TagList
	// Actions are the IAM actions of the search.
	Actions []string
}

// lost returns the search of instances that the tagging API lists by the resource type, and that the action reads by
// their names. The tagging API lists all types but users and roles. Source:
// https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/supported-services.html
func lost(resourceType, arn, action string) Lost {
	found := tagged(resourceType, arn)
	return Lost{Tags: found.Tags, Actions: append(found.Actions, action)}
}

// TagList is where AWS lists the tags of a type.
type TagList struct {
	// EC2 is the resource type of ec2:DescribeTags, "natgateway".
	EC2 string
	// Tagging is the resource type of tag:GetResources, "kms:key".
	Tagging string
	// Region is the only region whose list has the type, "" for the region of the instance.
	Region string
	// ARN is the template of an instance's ARN, with the ID as {id}.
	ARN string
	// IDIsARN is true if the whole ARN is the ID.
	IDIsARN bool
}

// Listed reports whether AWS lists the type's tags.
func (l TagList) Listed() bool { return l.EC2 != "" || l.Tagging != "" }

// ResourceARN returns the ARN of the instance with that ID, or "" where the template is not known.
func (l TagList) ResourceARN(id, partition, region, account string) string {
	if l.IDIsARN {
		return id
	}
	return strings.NewReplacer("{id}", id, "{partition}", partition, "{region}", region, "{account}",
		account).Replace(l.ARN)
}

// ID returns the ID in an instance's ARN. It reports false for the ARN of another type.
func (l TagList) ID(arn string) (string, bool) {
	if l.ARN == "" {
		return "", false
	}
	pattern := regexp.QuoteMeta(l.ARN)
	for _, name := range []string{"partition", "region", "account"} {
		pattern = strings.ReplaceAll(pattern, `\{`+name+`\}`, `[^:]*`)
	}
	match := regexp.MustCompile(`^` + strings.ReplaceAll(pattern, `\{id\}`, `(.+)`) + `$`).FindStringSubmatch(arn)
	switch {
	case match == nil:
		return "", false
	case l.IDIsARN:
		return arn, true
	}
	return match[1], true
}

// ec2Tagged returns a type that EC2 lists by the resource type. Its ARN has the same resource type.
func ec2Tagged(resourceType string) Find {
	return Find{
		Tags:    TagList{EC2: resourceType, ARN: "arn:{partition}:ec2:{region}:{account}:" + resourceType + "/{id}"},
		Actions: []string{"ec2:DescribeTags"},
	}
}

// tagged returns a type that the tagging API lists by the resource type.
func tagged(resourceType, arn string) Find {
	return Find{Tags: TagList{Tagging: resourceType, ARN: arn}, Actions: []string{"tag:GetResources"}}
}

// listed returns a type that is identified by attributes.
func listed(action string, attributes ...string) Find {
	return Find{Attributes: attributes, Actions: []string{action}}
}

// importedAs returns a type that is found by its import ID.
func importedAs(templates ...string) Find { return Find{ImportID: templates} }

// partOf returns the search with the inputs that refer to the resource that an instance is part of.
func (f Find) partOf(inputs ...string) Find {
	f.PartOf = inputs
	return f
}

// asking returns the search with actions in addition to those for the list of tags.
func (f Find) asking(actions ...string) Find {
	f.Actions = append(f.Actions, actions...)
	return f
}

// checked returns the search with a look-up before the import.
func (f Find) checked(actions ...string) Find {
	f.Checked, f.Actions = true, actions
	return f
}
