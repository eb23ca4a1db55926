// Package capa makes what a self-managed cluster of Cluster API Provider AWS (CAPA) needs, for the two architectures of
// CAPA's MVP proposal, private and public: security groups, instance profiles and a machine image in AWS, and the cluster's
// Kubernetes objects. It is for programs that run such clusters on a network that they keep in Pulumi. The network and its
// tags are made so that neither CAPA nor Pulumi changes what the other one wrote.
package capa
