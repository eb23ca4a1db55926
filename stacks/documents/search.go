package documents

import "github.com/hypershift-aws/hypershift-aws/components/hypershift"

// Search identifies the cluster that an adoption searches for, with its known properties.
type Search struct {
	// InfraID and Region are the cluster's. Required.
	InfraID, Region string
	// EndpointAccess is the cluster's mode, "" if it is derived from the account: HyperShift's CLI creates the same resources for each.
	EndpointAccess hypershift.EndpointAccess
	// Name is the cluster's name, "" if it is derived from the account.
	Name string
	// Infra and IAM are the documents of HyperShift's CLI, nil without.
	Infra *Infra
	IAM   *IAM
	// Management is the name of a management stack, IssuerBaseURL and KMSKeyARN are its outputs.
	Management, IssuerBaseURL, KMSKeyARN string
	// KeepDefaultGroup is true if a default security group with rules is not changed.
	KeepDefaultGroup bool
}
