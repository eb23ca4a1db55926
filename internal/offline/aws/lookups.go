package aws

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/mapper"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// NewLookup declares a function that finds one resource of a type by its ID, its tags, and the outputs that its other
// arguments name. id is the argument with the ID. also adds the outputs that only the function has; nil for none.
// Filters are refused.
func NewLookup[Result any](function, token, id string, also func(c *Call, rec *store.Entry, out props.Map)) *Function {
	return NewFilteredLookup[Result](function, token, id, nil, also)
}

// NewFilteredLookup is NewLookup with filters: each supported one is mapped to an output.
func NewFilteredLookup[Result any](
	function, token, id string,
	filters map[string]string,
	also func(c *Call, rec *store.Entry, out props.Map),
) *Function {
	return NewFunction(function, func(c *Call, args props.Map) (*Result, error) {
		describe := func(rec *store.Entry) props.Map {
			out := c.outputs(rec)
			if also != nil {
				also(c, rec, out)
			}
			return out
		}
		if filters == nil {
			if err := NoFilters(len(args.Objects("filters"))); err != nil {
				return nil, err
			}
		}
		filtered, err := wantedBy(args.Objects("filters"), filters)
		if err != nil {
			return nil, err
		}
		k := c.Types.Kinds[token]
		rec, err := c.FindOne(k.Service+" "+k.Noun, token, args.String(id), args.Object("tags"),
			func(rec *store.Entry) bool {
				out := describe(rec)
				for name, wanted := range args {
					if name != id && name != "tags" && name != "filters" && out[name] != wanted && (out[name] != nil ||
						wanted != false) {
						return false
					}
				}
				for output, values := range filtered {
					if !slices.Contains(values, out.String(output)) {
						return false
					}
				}
				return true
			})
		if err != nil {
			return nil, err
		}
		return decode[Result](describe(rec))
	})
}

// NewList declares a function that lists the resources of some types that have the tags. filters maps each supported
// filter to an output, and lists each list of the result.
func NewList(function string, types []string, filters, lists map[string]string) *Function {
	return NewFunction(function, func(c *Call, args props.Map) (*props.Map, error) {
		wanted, err := wantedBy(args.Objects("filters"), filters)
		if err != nil {
			return nil, err
		}
		result := args.Clone()
		result["id"] = c.Region
		for list := range lists {
			result[list] = []any{}
		}
		for _, token := range types {
			for _, rec := range c.All(token) {
				out := c.outputs(rec)
				fits := Tagged(rec.State, args.Object("tags"))
				for output, values := range wanted {
					fits = fits && slices.Contains(values, out.String(output))
				}
				for list, output := range lists {
					if fits {
						result[list] = append(result[list].([]any), out[output])
					}
				}
			}
		}
		return &result, nil
	})
}

// wantedBy: a list supports only some filters offline.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html
func wantedBy(given []props.Map, filters map[string]string) (map[string][]string, error) {
	wanted := map[string][]string{}
	for _, f := range given {
		output, ok := filters[f.String("name")]
		if !ok {
			return nil, awserr.Errorf("InvalidParameterValue", "The filter '%s' is invalid; the offline account supports %q",
				f.String("name"), slices.Sorted(maps.Keys(filters)))
		}
		wanted[output] = append(wanted[output], f.Strings("values")...)
	}
	return wanted, nil
}

// Describe returns a resource as the result of a lookup: its outputs of the same names, its ID, all its tags, and
// further properties.
func Describe[Result any](c *Call, rec *store.Entry, further props.Map) (*Result, error) {
	out := c.outputs(rec)
	maps.Copy(out, further)
	return decode[Result](out)
}

// outputs returns a resource's outputs with its ID and all its tags.
func (c *Call) outputs(rec *store.Entry) props.Map {
	out := (&Call{Tx: c.Tx, Site: c.Site, Kind: c.Types.Kinds[rec.Type]}).Outputs(rec)
	out["id"], out["tags"] = rec.ID, map[string]any(out.Object("tagsAll"))
	return out
}

func decode[Result any](out props.Map) (*Result, error) {
	result := new(Result)
	if err := mapper.MapI(out, result); err != nil {
		return nil, fmt.Errorf("decoding a result of a lookup: %w", err)
	}
	return result, nil
}

// FindOne returns the only resource of a type that has that ID, if one is set, and those tags, and for which fits
// returns true.
func (c *Call) FindOne(what, token, id string, tags props.Map, fits func(*store.Entry) bool) (*store.Entry, error) {
	var found []*store.Entry
	for _, rec := range c.All(token) {
		if (id == "" || rec.ID == id) && Tagged(rec.State, tags) && fits(rec) {
			found = append(found, rec)
		}
	}
	return One(what, found)
}

// One returns the only match of a lookup.
func One[T any](what string, found []T) (one T, err error) {
	switch len(found) {
	case 0:
		return one, fmt.Errorf("no matching %s found", what)
	case 1:
		return found[0], nil
	default:
		return one, fmt.Errorf("multiple %ss matched; use additional constraints to reduce matches to a single %s", what, what)
	}
}

// Matches reports whether a property equals the value that a lookup searches for; nil matches any value.
func Matches(s props.Map, name string, wanted *string) bool {
	return wanted == nil || s.String(name) == *wanted
}

// NoFilters refuses filters, which this lookup does not support offline.
func NoFilters(given int) error {
	if given == 0 {
		return nil
	}
	return fmt.Errorf("the offline account does not support filters here; look the resource up by its ID or its tags")
}

// Deref returns what p points to, or the zero value.
func Deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}

// Tagged reports whether a resource has all of these tags.
func Tagged(p, tags props.Map) bool {
	for k, v := range tags {
		if p.Object("tagsAll").String(k) != v {
			return false
		}
	}
	return true
}

// Tags returns the arguments of a function that are tags as properties.
func Tags(tags map[string]string) props.Map {
	texts := props.Map{}
	for key, value := range tags {
		texts[key] = value
	}
	return texts
}

// Function is a function of the provider: it answers without creating a resource.
type Function struct {
	token string
	run   func(c *Call, args props.Map) (props.Map, error)
	// args and result are the names of the arguments and of the result's properties; nil for a function on properties.
	args, result props.Shape
}

// NewFunction declares a function by a Go function on the SDK's own argument and result structs, or on properties.
func NewFunction[Args, Result any](token string, answer func(*Call, Args) (*Result, error)) *Function {
	f := &Function{token: token, run: func(c *Call, given props.Map) (props.Map, error) {
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
	if reflect.TypeFor[Args]().Kind() == reflect.Struct && reflect.TypeFor[Result]().Kind() == reflect.Struct {
		f.args, f.result = props.ShapeFor[Args](), props.ShapeFor[Result]()
	}
	return f
}

// Answer runs a function of the catalogue.
func (t Catalogue) Answer(c *Call, token string, args props.Map) (props.Map, error) {
	f, err := t.function(token)
	if err != nil {
		return nil, err
	}
	return f.run(c, args)
}
