// Package reachability follows packets through a VPC: by its route tables, network ACLs, gateways, attachments and
// firewall endpoints, there and back. It works on sets of packets, so that a result holds for all addresses and ports,
// and each result names the rules that decided it.
package reachability
