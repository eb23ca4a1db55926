package config

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
)

// Content is what a stack's file contains, for a stack that has none: see Project.NewStack of package automation.
type Content struct {
	// Section is the section of the stack's kind, such as a *Cluster. Required.
	Section Section
	// Account is how the stack's own account is accessed, and its region: the keys aws:* of a file.
	Account Account
	// PolicyWaivers are the accepted findings of policies. Default none.
	PolicyWaivers []forecast.PolicyWaiver
	// Allowed are the resources that updates may replace or delete. Default none.
	Allowed []Allowed
	// Policy decides if an update that violates a policy is refused. Default PolicyWarn.
	Policy Enforcement
	// SecretsProvider encrypts the secrets of a new stack, such as "awskms://alias/pulumi". Default: a passphrase, or the backend's own. An existing
	// stack keeps the one that its state names.
	SecretsProvider string
}

// Encode returns a content as the text of a file. It returns a fault for a section that is of no kind.
func (kinds Kinds) Encode(c Content) ([]byte, error) {
	var kind Kind
	for _, d := range kinds {
		if c.Section != nil && reflect.TypeOf(d.Section()) == reflect.TypeOf(c.Section) {
			kind = d.Kind
		}
	}
	if kind == "" {
		return nil, &fault.Fault{
			Path: "Section", Value: fmt.Sprintf("%T", c.Section), Problem: "is the section of no kind of stack", Remedy: "set it to a *config.Cluster or another section",
		}
	}
	none := func(string) string { return "" }
	values := &yaml.Node{Kind: yaml.MappingNode}
	put := func(key string, value *yaml.Node) {
		if value != nil {
			values.Content = append(values.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
		}
	}
	if account := configfield.Encode(c.Account, none); account != nil {
		for i := 0; i+1 < len(account.Content); i += 2 {
			put(OwnPrefix+account.Content[i].Value, account.Content[i+1])
		}
	}
	put(KindKey, &yaml.Node{Kind: yaml.ScalarNode, Value: string(kind)})
	put(kind.Key(), configfield.Encode(c.Section, none))
	put(WaiversKey, configfield.Encode(c.PolicyWaivers, none))
	put(AllowKey, configfield.Encode(c.Allowed, none))
	put(PolicyKey, configfield.Encode(c.Policy, none))
	content := map[string]any{"config": values}
	if c.SecretsProvider != "" {
		content["secretsprovider"] = c.SecretsProvider
	}
	return yaml.Marshal(content)
}
