// Package status describes a running hosted cluster: what its management cluster and AWS report about it, whether the
// paths of its traffic hold, and how administrators reach it. If something cannot be read, its status is unknown.
package status
