package takeover

import (
	"slices"
	"strings"
)

// Credentials are how an account is accessed, in addition to the environment's credentials.
type Credentials struct {
	// Profile is a profile of the AWS config; RoleARN a role that is assumed.
	Profile, RoleARN string
}

// IsSet reports whether anything is set.
func (a Credentials) IsSet() bool { return a != Credentials{} }

// Settings returns the settings of a provider for the account in a region, "" for the environment's account.
func (a Credentials) Settings(region string) map[string]any {
	settings := map[string]any{}
	if region != "" {
		settings["region"] = region
	}
	if a.Profile != "" {
		settings["profile"] = a.Profile
	}
	if a.RoleARN != "" {
		settings["assumeRole"] = map[string]any{"roleArn": a.RoleARN}
	}
	return settings
}

// Key names a resource of a program by the token of its type, "aws:ec2/subnet:Subnet", and its name.
type Key struct{ Type, Name string }

// Short returns the key with the last part of its type: "Subnet" of "aws:ec2/subnet:Subnet".
func (k Key) Short() Key { return Key{k.Type[strings.LastIndex(k.Type, ":")+1:], k.Name} }

// String returns how users name the resource: "Subnet:network-private-us-east-1a".
func (k Key) String() string { return k.Short().Type + ":" + k.Name }

// Action is what adopt does with a resource.
type Action string

const (
	// Take imports a resource unchanged.
	Take Action = "take"
	// Update imports a resource, unless the state has it, and updates it in place.
	Update Action = "update"
	// Create creates a resource.
	Create Action = "create"
	// Leave does not adopt a resource.
	Leave Action = "leave"
)

// Change is a field that an update changes. From or To is nil if there is no value.
type Change struct {
	// Field is the path of the property, and From and To its values before and after.
	Field string `json:"field"`
	From  any    `json:"from"`
	To    any    `json:"to"`
}

// Item is what adopt does with one resource.
type Item struct {
	// Action is what is done.
	Action Action `json:"action"`
	// Type is the type's token.
	Type string `json:"resourceType"`
	// Name is the resource's name in the program, "" for a resource that is not adopted.
	Name string `json:"name,omitempty"`
	// ID is its ID in AWS, "" for a new one.
	ID string `json:"id,omitempty"`
	// Changes are the fields that are updated; none for other actions.
	Changes []Change `json:"changes,omitempty"`
	// Why is the reason why a resource is created or not adopted.
	Why string `json:"why,omitempty"`
}

// Review is what adopt would do.
type Review struct {
	// Stack is the stack's name.
	Stack string
	// Items are the resources, in the order in which they are listed.
	Items []Item
	// Refused is why adopt does nothing.
	Refused []string
	// Incomplete are the lists that could not be read.
	Incomplete []string
}

// Of returns the items with an action.
func (r *Review) Of(action Action) []Item {
	return slices.DeleteFunc(slices.Clone(r.Items), func(i Item) bool { return i.Action != action })
}

// DefaultGroup is what an adoption does with the rules of a VPC's default security group. The zero value refuses a VPC
// whose group has rules.
type DefaultGroup string

// The values.
const (
	// KeepDefaultGroup does not change the group.
	KeepDefaultGroup DefaultGroup = "keep"
	// RevokeDefaultGroup removes the rules.
	RevokeDefaultGroup DefaultGroup = "revoke"
)
