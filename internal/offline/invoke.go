package offline

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/mapper"
)

// function is something that the provider answers without making anything.
type function struct {
	token string
	run   func(c *call, args props) (props, error)
}

// answering makes a function of one that takes and gives the Go SDK's own structs.
func answering[Args, Result any](token string, answer func(*call, Args) (*Result, error)) *function {
	return &function{token: token, run: func(c *call, given props) (props, error) {
		var args Args
		if err := mapper.MapI(given, &args); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", token, err)
		}
		result, err := answer(c, args)
		if err != nil {
			return nil, err
		}
		// Lists that are nil are left out, as the real provider leaves out what is not there.
		encoded, fault := mapper.New(&mapper.Opts{IgnoreMissing: true}).Encode(result)
		if fault != nil {
			return nil, fmt.Errorf("result of %s: %w", token, fault)
		}
		return encoded, nil
	}}
}

func deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}

// tagged says whether a resource carries all of these tags.
func tagged(p props, tags map[string]string) bool {
	for k, v := range tags {
		if p.object("tagsAll").text(k) != v {
			return false
		}
	}
	return true
}

// tagsOf are a resource's tags.
func tagsOf(p props) map[string]string {
	tags := map[string]string{}
	all := p.object("tagsAll")
	for k := range all {
		tags[k] = all.text(k)
	}
	return tags
}
