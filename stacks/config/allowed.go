package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

// Allowed allows updates to replace or delete a resource that a running cluster depends on, as `up --allow` does for
// one update. It is valid while the stack has the resource with this ID, so it never covers a replacement.
type Allowed struct {
	// Name is the resource's name in the program, such as network-private-us-east-1c. Required.
	Name string `yaml:"name" pulumi:"name"`
	// ID is the resource's ID in AWS, such as subnet-0123456789abcdef0; where that is a name, followed by "@" and what
	// tells the resource from a later one of that name, such as clusters/a@UID, or when it was created. The refusal of the
	// update prints it. Required.
	ID string `yaml:"id" pulumi:"id"`
}

// Allows reports whether a resource is among the Allowed. A program does not know when a resource was created: an ID
// without that time is then enough.
func (c *Config) Allows(name, id string) bool {
	return slices.ContainsFunc(c.Allowed, func(a Allowed) bool {
		at := strings.LastIndex(a.ID, "@")
		if at > 0 && a.ID[:at] == id {
			_, err := time.Parse(time.RFC3339, a.ID[at+1:])
			return a.Name == name && err == nil
		}
		return a == Allowed{Name: name, ID: id}
	})
}

// Shared returns the keys that a stack of any kind may have.
func Shared() []SharedKey {
	return []SharedKey{
		{WaiversKey, reflect.TypeFor[[]forecast.PolicyWaiver](), "Findings of policies that are accepted."},
		{AllowKey, reflect.TypeFor[[]Allowed](), "Resources that updates may replace or delete although a running cluster depends on them."},
		{PolicyKey, reflect.TypeFor[Enforcement](), "Whether an update that violates a policy is refused: warn, the default, or mandatory."},
	}
}

// SharedKey is a key that a stack of any kind may have.
type SharedKey struct {
	// Key is the config key.
	Key string
	// Type is the type of its value.
	Type reflect.Type
	// Meaning is a sentence.
	Meaning string
}

// sharedType returns the type of a shared key's value, nil for another key.
func sharedType(key string) reflect.Type {
	for _, shared := range Shared() {
		if shared.Key == key {
			return shared.Type
		}
	}
	return nil
}

// readList reads the list of a shared key. check returns the faults of an element.
func readList[T any](from Source, key string, check func(element T, faults *fault.Faults)) ([]T, error) {
	node := from.Values[key]
	if node == nil {
		return nil, nil
	}
	var list []T
	d := newDecoder(from.Dir, from.Region)
	d.decode(node, reflect.ValueOf(&list).Elem(), key)
	var faults fault.Faults
	faults = append(faults, d.faults...)
	for i, element := range list {
		var found fault.Faults
		check(element, &found)
		faults.Join(fmt.Sprintf("%s[%d]", key, i), found.Err())
	}
	return list, faults.Err()
}

// ReadShared reads and checks the keys that a stack of any kind may have.
func ReadShared(from Source) (*Config, error) {
	c := &Config{}
	return c, c.readShared(from)
}

func (c *Config) readShared(from Source) error {
	var faults fault.Faults
	var err error
	c.PolicyWaivers, err = readList(from, WaiversKey, checkWaiver)
	faults.Join("", err)
	c.Allowed, err = readList(from, AllowKey, Allowed.check)
	faults.Join("", err)
	if node := from.Values[PolicyKey]; node != nil {
		d := newDecoder(from.Dir, from.Region)
		d.decode(node, reflect.ValueOf(&c.Policy).Elem(), PolicyKey)
		faults = append(faults, d.faults...)
		faults.Join(PolicyKey, c.Policy.Validate())
	}
	return faults.Err()
}

func (a Allowed) check(faults *fault.Faults) {
	if strings.TrimSpace(a.Name) == "" {
		faults.Add("name", nil, "is missing", "set the name that the refusal of the update prints")
	}
	if strings.TrimSpace(a.ID) == "" {
		faults.Add("id", nil, "is missing", "set the ID that the refusal of the update prints")
	}
}

func checkWaiver(w forecast.PolicyWaiver, faults *fault.Faults) {
	if strings.TrimSpace(w.Rule) == "" {
		faults.Add("rule", nil, "is missing", "set the name of a policy, which `hypershift-aws plan-policies` lists")
	}
	if strings.TrimSpace(w.Reason) == "" {
		faults.Add("reason", nil, "is missing", "set the reason why the finding is accepted")
	}
}

// Enforcement says what happens to an update that violates a policy.
type Enforcement string

const (
	// PolicyWarn reports violations of policies in previews.
	PolicyWarn Enforcement = "warn"
	// PolicyMandatory refuses an update that violates a policy.
	PolicyMandatory Enforcement = "mandatory"
)

// Validate returns the fault of an unknown value. The zero value is PolicyWarn.
func (e Enforcement) Validate() error {
	return enum.Validate(e, "is not a way to enforce policies", PolicyWarn, PolicyMandatory)
}
