// Package status describes a running hosted cluster: what its management cluster and AWS report about it, whether the paths of its traffic hold, and
// how administrators reach it.
package status
