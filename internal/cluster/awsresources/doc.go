// Package awsresources reads what AWS has of a cluster: what shows that it may be alive, the health of what serves it,
// what is missing, and what keeps its network from being deleted. Package clusterstatus reads the cluster's objects,
// and needs no account.
package awsresources
