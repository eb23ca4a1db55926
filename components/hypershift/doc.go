// Package hypershift holds what HyperShift itself fixes and every component must match: how a hosted
// cluster is identified and tagged in AWS, and how its control plane can be reached. It makes no
// resources.
package hypershift
