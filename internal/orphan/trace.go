package orphan

import "context"

// Trace is what is known of a resource whose creation nobody saw end.
type Trace struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc".
	Type string
	// Inputs are what it was asked for with, under Pulumi's names.
	Inputs map[string]any
}

// Place is where a provider works.
type Place struct {
	// Partition is "aws", "aws-cn" or "aws-us-gov", Account has twelve digits, Region is "us-east-1".
	Partition, Account, Region string
}

// Account is an AWS account as a provider of the stack reaches it.
type Account interface {
	// Place says where that is.
	Place(ctx context.Context) (Place, error)
	// Find lists the IDs of what there is of the trace's type with all its tags or, of types without tags, with the
	// inputs that tell one from another. It is asked only for types that Searched is true of.
	Find(ctx context.Context, trace Trace) ([]string, error)
}

// Tags are the tags that the resource was asked for with, the provider's default tags among them.
func (t Trace) Tags() map[string]string {
	tags := map[string]string{}
	for _, input := range []string{"tags", "tagsAll"} {
		given, _ := t.Inputs[input].(map[string]any)
		for key, value := range given {
			if text, ok := value.(string); ok {
				tags[key] = text
			}
		}
	}
	return tags
}

// Text is a string among the inputs, "" where there is none.
func (t Trace) Text(input string) string {
	text, _ := t.Inputs[input].(string)
	return text
}

// Carries is whether tags hold all of the trace's.
func (t Trace) Carries(tags map[string]any) bool {
	for key, value := range t.Tags() {
		if tags[key] != value {
			return false
		}
	}
	return true
}
