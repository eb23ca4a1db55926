// Package network creates the network of a hosted cluster's nodes: GuestNetwork, a VPC for an EndpointAccess, with its subnets, egress,
// routes and hosted zones. It is for programs that need a HyperShift guest network, with or without the rest of this project.
package network
