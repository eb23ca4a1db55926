// Package hypershift defines what HyperShift prescribes and every component must match: how a hosted cluster is
// identified and tagged in AWS, and how its control plane can be reached. It creates no resources.
package hypershift
