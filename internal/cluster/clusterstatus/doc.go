// Package clusterstatus reads a hosted cluster from its management cluster: whether it is ready, what blocks its
// deletion, and how its administrators reach it.
package clusterstatus
