package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Content is what a stack's file contains, for a stack that has none: see Project.NewStack of package automation.
type Content struct {
	// Section is the section of the stack's kind, such as a *Cluster. Required. Its inputs are plain: an output is left
	// out. SecretValue gives its secrets, and the Text of an object that is a Secret.
	Section Section
	// Account is how the stack's own account is accessed, and its region: the keys aws:* of a file.
	Account Account
	// PolicyWaivers are the accepted findings of policies. Default none.
	PolicyWaivers []forecast.PolicyWaiver
	// Allowed are the resources that updates may replace or delete. Default none.
	Allowed []Allowed
	// Policy decides if an update that violates a policy is refused. Default PolicyWarn.
	Policy Enforcement
	// SecretsProvider encrypts the secrets of a new stack, such as "awskms://alias/pulumi". Default: a passphrase, or the
	// backend's own. An existing stack keeps the provider that its state names.
	SecretsProvider string
}

// Secrets are the secrets that a program gives in a Content, by the texts that stand for them in its file.
type Secrets map[string]string

// add adds a secret, and returns the text that stands for it. It depends on the order of the secrets alone, so that the
// file does too.
func (s Secrets) add(secret string) string {
	text := fmt.Sprintf("[secret %d]", len(s)+1)
	s[text] = secret
	return text
}

// hide returns a value of a section without the secrets that it has itself.
func (s Secrets) hide(v reflect.Value) reflect.Value {
	switch value := v.Interface().(type) {
	case SecretSource:
		if value.text != nil {
			return reflect.ValueOf(SecretSource{File: s.add(*value.text)})
		}
	case ReferredObject:
		if !value.isSecret() {
			return v
		}
		hidden := map[string]pulumi.StringInput{}
		for _, key := range slices.Sorted(maps.Keys(value.Text)) {
			hidden[key] = pulumi.String(s.add(input.Text(value.Text[key])))
		}
		value.Text = hidden
		return reflect.ValueOf(value)
	}
	return v
}

// Encode returns a content as the text of a file, and the secrets that the text has not. It returns a fault for a
// section that is of no kind.
func (kinds Kinds) Encode(c Content) ([]byte, Secrets, error) {
	var kind Kind
	for _, d := range kinds {
		if c.Section != nil && reflect.TypeOf(d.Section()) == reflect.TypeOf(c.Section) {
			kind = d.Kind
		}
	}
	if kind == "" {
		return nil, nil, &fault.Fault{
			Path: "Section", Value: fmt.Sprintf("%T", c.Section), Problem: "is the section of no kind of stack",
			Remedy: "set it to a *config.Cluster or another section",
		}
	}
	none := func(string) string { return "" }
	values := &yaml.Node{Kind: yaml.MappingNode}
	put := func(key string, value *yaml.Node) {
		if value != nil {
			values.Content = append(values.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
		}
	}
	if account := configfield.Encode(c.Account, none, nil); account != nil {
		for i := 0; i+1 < len(account.Content); i += 2 {
			put(OwnPrefix+account.Content[i].Value, account.Content[i+1])
		}
	}
	put(KindKey, &yaml.Node{Kind: yaml.ScalarNode, Value: string(kind)})
	secrets := Secrets{}
	put(kind.Key(), configfield.Encode(c.Section, none, secrets.hide))
	put(WaiversKey, configfield.Encode(c.PolicyWaivers, none, nil))
	put(AllowKey, configfield.Encode(c.Allowed, none, nil))
	put(PolicyKey, configfield.Encode(c.Policy, none, nil))
	content := map[string]any{"config": values}
	if c.SecretsProvider != "" {
		content["secretsprovider"] = c.SecretsProvider
	}
	text, err := yaml.Marshal(content)
	return text, secrets, err
}
