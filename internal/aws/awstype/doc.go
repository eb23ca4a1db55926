// Package awstype has one record per AWS resource type of the stacks, by its Pulumi token: its name in messages,
// whether plans that delete it are refused, the IAM actions that it needs, how an instance is found, in which order
// instances are deleted, its part in network paths and its price. Every part of the program that distinguishes types
// uses these records. AWS's behavior for each type is in package offline, which has the same types.
package awstype
