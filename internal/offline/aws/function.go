package aws

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/mapper"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Function is a function of the provider: it answers without creating a resource.
type Function struct {
	token string
	run   func(c *Call, args props.Map) (props.Map, error)
}

// NewFunction declares a function by a Go function on the SDK's own argument and result structs, or on properties.
func NewFunction[Args, Result any](token string, answer func(*Call, Args) (*Result, error)) *Function {
	return &Function{token: token, run: func(c *Call, given props.Map) (props.Map, error) {
		args, untyped := any(given).(Args)
		if !untyped {
			if err := mapper.MapI(given, &args); err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", token, err)
			}
		}
		result, err := answer(c, args)
		if err != nil {
			return nil, err
		}
		if properties, ok := any(result).(*props.Map); ok {
			return *properties, nil
		}
		// Nil lists are left out, as the real provider does.
		encoded, fault := mapper.New(&mapper.Opts{IgnoreMissing: true}).Encode(result)
		if fault != nil {
			return nil, fmt.Errorf("result of %s: %w", token, fault)
		}
		return encoded, nil
	}}
}

// Answer runs a function of the catalogue.
func (t Catalogue) Answer(c *Call, token string, args props.Map) (props.Map, error) {
	f, err := t.function(token)
	if err != nil {
		return nil, err
	}
	return f.run(c, args)
}
