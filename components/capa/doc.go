// Package capa creates what a self-managed cluster of Cluster API Provider AWS (CAPA) needs, for the two architectures
// of CAPA's MVP proposal, private and public: security groups, instance profiles and a machine image in AWS, and the
// cluster's Kubernetes objects. It is for programs that run such clusters on a network that Pulumi manages. The network
// and its tags are such that CAPA and Pulumi do not change each other's resources.
package capa
