// Package sharedlist knows the lists in a stack's resources that AWS means to be shared: the VPCs of a private zone,
// the client IDs of an OIDC provider, the tags of clusters on a subnet. A stack requires its own entries. The stack's
// program keeps those that others added, and commands say that it does.
package sharedlist

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// Entry is an entry of a list. Key is the VPC's ID, the client ID, or the tag's key; Value is the entry itself, or the
// tag's value.
type Entry struct {
	Key   string
	Value any
}

// Owned is what a stack's state says about the entries that are its own.
type Owned struct {
	// VPC reports whether a VPC is the stack's.
	VPC func(id string) bool
	// Clusters are the infra IDs of further clusters whose tags the stack has set itself.
	Clusters []string
}

// Property is a property of a type of resources: the type's token, a blank, and the property's name.
type Property string

// The properties of which a stack's program keeps what others have added.
const (
	ZoneVPCs          Property = "aws:route53/zone:Zone vpcs"
	ProviderClientIDs Property = "aws:iam/openIdConnectProvider:OpenIdConnectProvider clientIdLists"
	SubnetTags        Property = "aws:ec2/subnet:Subnet tags"
	// allSubnetTags are SubnetTags with the default tags of the provider, in a state.
	allSubnetTags Property = "aws:ec2/subnet:Subnet tagsAll"
)

// Of returns the property of a type with this token.
func Of(token, name string) Property { return Property(token + " " + name) }

// Others returns the entries of a property in AWS that others may have added to it, in order; none for a property that
// is not shared.
func (o Owned) Others(p Property, now any) []Entry {
	return slices.DeleteFunc(entries(p, now), func(e Entry) bool {
		switch infraID, ofCluster := strings.CutPrefix(e.Key, recorded.ClusterTagPrefix); kindOf(p) {
		case vpcs:
			return o.VPC(e.Key)
		case tags:
			return !ofCluster || slices.Contains(o.Clusters, infraID)
		case private, texts:
		}
		return false
	})
}

// Keeps reports whether AWS's value of a property differs from the state's in nothing but what others have in a shared
// list, which the stack's next update keeps once a refresh has read it.
func (o Owned) Keeps(p Property, state, now any) bool {
	was, is, of := entries(p, state), entries(p, now), kindOf(p)
	before, others := o.Others(p, state), o.Others(p, now)
	return of != private &&
		!slices.ContainsFunc(was, func(e Entry) bool { return !has(is, e) && (of == texts || !has(before, e)) }) &&
		!slices.ContainsFunc(is, func(e Entry) bool { return !has(was, e) && !has(others, e) })
}

func has(list []Entry, wanted Entry) bool {
	return slices.ContainsFunc(list, func(e Entry) bool {
		_, isText := wanted.Value.(string) // a VPC's region may be left out
		return e.Key == wanted.Key && (!isText || reflect.DeepEqual(e.Value, wanted.Value))
	})
}

// kind is what a shared property has: VPCs, texts or tags.
type kind int

const (
	private kind = iota
	vpcs
	texts
	tags
)

func kindOf(p Property) kind {
	switch p {
	case ZoneVPCs:
		return vpcs
	case ProviderClientIDs:
		return texts
	case SubnetTags, allSubnetTags:
		return tags
	}
	return private
}

// entries returns the entries of a property, none if it isn't shared.
func entries(p Property, value any) []Entry {
	var found []Entry
	listed, _ := value.([]any)
	switch kindOf(p) {
	case vpcs:
		for _, each := range listed {
			vpc, _ := each.(map[string]any)
			if id, _ := vpc["vpcId"].(string); id != "" {
				found = append(found, Entry{id, vpc})
			}
		}
	case texts:
		for _, each := range listed {
			if text, _ := each.(string); text != "" {
				found = append(found, Entry{text, text})
			}
		}
	case private:
	case tags:
		all, _ := value.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			found = append(found, Entry{key, all[key]})
		}
	}
	return found
}
