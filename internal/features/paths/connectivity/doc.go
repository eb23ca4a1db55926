// Package connectivity follows the paths of traffic and DNS names through the graph of a hosted cluster's resources:
// from the nodes to their control plane and to the internet, and from users to the cluster. It shows whether a network
// carries the traffic that the cluster needs, and which resource breaks a path. It sends no request: the graph is a
// stack's state, offline or real.
package connectivity
