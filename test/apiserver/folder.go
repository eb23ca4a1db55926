package apiserver

import "flag"

// Folder is the flag -conformance of the tests against real API servers.
var Folder = flag.String("conformance", "",
	"the `folder` of etcd, kube-apiserver and, in pko, the Pulumi Kubernetes Operator, which make conformance builds")
