// Package connectivity follows, on a graph of a hosted cluster's resources, the ways that traffic and names take: from the
// nodes to their control plane and to the internet, and from users to the cluster. It is for people who want to see that
// a network carries what it must, and which resource fails where it does not. It asks nobody: the graph is an engine's
// state, of an offline account or of a real one.
package connectivity
