// Package awstype has one record per AWS resource type that stacks are made of, under its Pulumi token: what it is called, whether
// plans that delete it are refused, which IAM actions its life takes, how an instance is found, in which order instances are
// deleted, what it means for connectivity and what it costs. Every part of the program that treats types differently reads it here.
// How AWS behaves towards a type is the business of package offline, whose types and these are the same.
package awstype
