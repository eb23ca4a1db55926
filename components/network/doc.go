// Package network makes the network that a hosted cluster's nodes live in: GuestNetwork, a VPC laid out
// for an EndpointAccess, with its subnets, egress, routes and zones. It is for programs that need a
// HyperShift guest network, with or without the rest of this project.
package network
