package orphan

import (
	"context"
	"time"
)

// Place is the partition, account and region of a provider.
type Place struct {
	// Partition is "aws", "aws-cn" or "aws-us-gov", Account has twelve digits, Region is "us-east-1".
	Partition, Account, Region string
}

// Account is the AWS account of one of the stack's providers.
type Account interface {
	// Place returns its partition, account and region.
	Place(ctx context.Context) (Place, error)
	// Find lists the resources that match the query, ordered by ID: those with all its tags or, for types that are identified by
	// attributes, with the same attributes. Call it only if Query.Searched is true.
	Find(ctx context.Context, q Query) ([]Found, error)
	// Exists reports whether the query's resource exists with the query's inputs. Call it only for types whose record has Checked.
	Exists(ctx context.Context, q Query) (bool, error)
	// Tagged lists the resources of all types that have all the tags, ordered by type and ID. It leaves out types whose tags AWS does not
	// list (IAM's roles, users and instance profiles), and types that are not in package awstype.
	Tagged(ctx context.Context, tags map[string]string) ([]Found, error)
}

// Found is a resource in AWS.
type Found struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc". ID is the ID for an import.
	Type, ID string
	// ARN is "" for types without one.
	ARN string
	// Tags are all its tags; nil for a resource found by attributes.
	Tags map[string]string
	// Created is when it was created; zero for types for which AWS does not return it.
	Created time.Time
}

// OwnedBy returns the tag of all resources of a cluster.
func OwnedBy(infraID string) map[string]string {
	return map[string]string{"kubernetes.io/cluster/" + infraID: "owned"}
}

// IDs returns the IDs of found resources.
func IDs(found []Found) []string {
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return ids
}
