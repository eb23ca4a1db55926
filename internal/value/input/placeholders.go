package input

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Placeholders maps placeholders to the inputs that they represent. An object is built and validated with a placeholder
// for every output, before AWS has created anything; then the inputs replace the placeholders. A placeholder is random,
// so no value of a user equals it.
type Placeholders map[string]pulumi.StringInput

// Fill copies the struct that from points to into the struct that into points to, whose fields have the same names. An
// input is copied as its text if it is plain. An output is copied as a placeholder with the form in the field's tag
// "placeholder", in which * is random: "vpc-*", or "cidr" and "cidrIPv6" for a network. Inputs without the tag stay as
// they are.
func (p Placeholders) Fill(into, from any) {
	p.fill(reflect.ValueOf(into).Elem(), reflect.ValueOf(from).Elem(), "")
}

func (p Placeholders) fill(into, from reflect.Value, form string) {
	if from.Type() == reflect.TypeFor[pulumi.StringInput]() {
		p.fillInput(into, from, form)
		return
	}
	switch from.Kind() { //nolint:exhaustive // others contain no inputs
	case reflect.Pointer:
		if !from.IsNil() && from.Elem().Kind() == reflect.Struct {
			into.Set(reflect.New(into.Type().Elem()))
			p.fill(into.Elem(), from.Elem(), form)
			return
		}
	case reflect.Struct:
		for i := range into.NumField() {
			name := into.Type().Field(i).Name
			if field, ok := from.Type().FieldByName(name); ok && field.IsExported() {
				p.fill(into.Field(i), from.FieldByName(name), field.Tag.Get("placeholder"))
			}
		}
		return
	case reflect.Slice:
		if !from.IsNil() {
			into.Set(reflect.MakeSlice(into.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				p.fill(into.Index(i), from.Index(i), form)
			}
			return
		}
	case reflect.Map:
		if !from.IsNil() {
			into.Set(reflect.MakeMap(into.Type()))
			for _, key := range from.MapKeys() {
				if item := from.MapIndex(key); item.Kind() != reflect.Interface || !item.IsNil() {
					filled := reflect.New(into.Type().Elem()).Elem()
					p.fill(filled, item, form)
					into.SetMapIndex(key, filled)
				}
			}
			return
		}
	}
	if from.Type() == into.Type() {
		into.Set(from)
	}
}

func (p Placeholders) fillInput(into, from reflect.Value, form string) {
	in, _ := from.Interface().(pulumi.StringInput)
	switch {
	case in == nil:
	case form == "":
		into.Set(from)
	case into.Kind() == reflect.String:
		into.SetString(p.textOf(in, form))
	default:
		into.Set(reflect.ValueOf(pulumi.String(p.textOf(in, form))))
	}
}

// textOf returns the text of an input that is plain, or a new placeholder of the form.
func (p Placeholders) textOf(in pulumi.StringInput, form string) string {
	if text, plain := Plain(in); plain {
		return text
	}
	for {
		placeholder := strings.Replace(form, "*", fmt.Sprintf("%017d", rand.Int64N(1e17)), 1) //nolint:gosec // not a secret
		if form == "cidr" {
			// A network for benchmarks, which no cluster has. Source: RFC 2544.
			n := rand.IntN(1 << 17) //nolint:gosec // not a secret
			placeholder = fmt.Sprintf("198.%d.%d.%d/32", 18+n>>16, n>>8&255, n&255)
		}
		if form == "cidrIPv6" {
			// A network for documentation, of the size of a VPC's. Source: RFC 3849.
			n := rand.IntN(1 << 24) //nolint:gosec // not a secret
			placeholder = netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, byte(n >> 16), byte(n >> 8),
				byte(n)}), 56).String()
		}
		if _, used := p[placeholder]; !used {
			p[placeholder] = in
			return placeholder
		}
	}
}

// Text returns a text, or the input that it represents.
func (p Placeholders) Text(value string) pulumi.StringInput {
	if in, ok := p[value]; ok {
		return in
	}
	return pulumi.String(value)
}

// In returns a value of an object in Kubernetes' API, such as its spec, with the placeholders replaced by their inputs.
func (p Placeholders) In(value any) pulumi.Input {
	switch v := value.(type) {
	case map[string]any:
		out := pulumi.Map{}
		for key, inner := range v {
			out[key] = p.In(inner)
		}
		return out
	case []any:
		out := pulumi.Array{}
		for _, inner := range v {
			out = append(out, p.In(inner))
		}
		return out
	case string:
		return p.Text(v)
	case bool:
		return pulumi.Bool(v)
	case int64:
		return pulumi.Int(v)
	case float64:
		return pulumi.Float64(v)
	}
	return pulumi.ToOutput(value)
}
