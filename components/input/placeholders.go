package input

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Placeholders maps placeholders to the inputs that they represent. An object is built and validated with a placeholder for every output,
// before AWS has created anything; then the inputs replace the placeholders.
type Placeholders map[string]pulumi.StringInput

// For returns the text of an input that is plain, "" for nil. For an output it returns value, which then represents the output.
func (p Placeholders) For(value string, in pulumi.StringInput) string {
	if text, plain := Plain(in); plain {
		return text
	}
	p[value] = in
	return value
}

// Replace sets an input to the text of For. It leaves nil.
func (p Placeholders) Replace(value string, in *pulumi.StringInput) {
	if *in != nil {
		*in = pulumi.String(p.For(value, *in))
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
	return pulumi.Any(value)
}
