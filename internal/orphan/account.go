package orphan

import (
	"context"
	"time"
)

// Place is where a provider works.
type Place struct {
	// Partition is "aws", "aws-cn" or "aws-us-gov", Account has twelve digits, Region is "us-east-1".
	Partition, Account, Region string
}

// Account is an AWS account as a provider of the stack reaches it.
type Account interface {
	// Place says where that is.
	Place(ctx context.Context) (Place, error)
	// Find lists what the query may be, in the order of IDs: what has all its tags or, of types that are told apart by attributes,
	// the same attributes. It must be asked only where Query.Searched is true.
	Find(ctx context.Context, q Query) ([]Found, error)
	// Exists is whether the query's resource exists with the query's inputs. It must be asked only for types whose record says
	// Checked.
	Exists(ctx context.Context, q Query) (bool, error)
	// Tagged lists the resources of all types that carry all the tags, in the order of types and IDs. It leaves out types whose tags
	// AWS lists nowhere (IAM's roles, users and instance profiles), and what is not a type of package awstype.
	Tagged(ctx context.Context, tags map[string]string) ([]Found, error)
}

// Found is a resource in AWS.
type Found struct {
	// Type is Pulumi's, "aws:ec2/vpc:Vpc". ID is the one by which the provider imports it.
	Type, ID string
	// ARN is "" for types without one.
	ARN string
	// Tags are all its tags; nil for what was found by attributes.
	Tags map[string]string
	// Created is when it was created; zero for types of which AWS does not say it.
	Created time.Time
}

// OwnedBy is the tag that everything of a cluster carries.
func OwnedBy(infraID string) map[string]string {
	return map[string]string{"kubernetes.io/cluster/" + infraID: "owned"}
}

// IDs are the IDs of what was found.
func IDs(found []Found) []string {
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return ids
}
