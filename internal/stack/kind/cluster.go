package kind

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Deployment is an operator in the management cluster.
type Deployment = clusterstatus.Deployment

// Cluster is the cluster of a stack, and its object in the management cluster.
type Cluster struct {
	// Object is the kind of its object.
	Object string
	// Part is true if the stack has a part of the cluster, whose object belongs to another stack, or to no stack.
	Part bool
	// Output is the output of the stack whose value tags the cluster's resources in AWS.
	Output string
	// Tag returns the key of the tag of its resources.
	Tag func(name, infraID string) string
	// Find returns the object in a state, nil if there is none.
	Find func([]apitype.ResourceV3) *clusterstatus.HostedCluster
	// Parts are the kinds of objects that the cluster consists of, besides its own.
	Parts []clusterstatus.Part
	// Operators are the deployments in the management cluster that act on the objects of the stack.
	Operators []Deployment
}

// ownCluster returns the cluster with a kind of object in its stack, nil for an unknown kind.
func ownCluster(object string) *Cluster {
	switch object {
	case crd.HostedCluster:
		return &Cluster{
			Object: object, Output: "infraID", Tag: func(_, infraID string) string { return clusterstatus.LifeTag(infraID) },
			Find: clusterstatus.Find, Parts: clusterstatus.HostedClusterParts(), Operators: hyperShift(),
		}
	case "Cluster":
		return &Cluster{
			Object: object, Output: "name", Tag: func(name, _ string) string { return clusterstatus.CAPALifeTag(name) },
			Find: clusterstatus.FindCAPA, Parts: clusterstatus.CAPAParts(), Operators: []Deployment{
				{Namespace: "capi-system", Name: "capi-controller-manager", Operator: "Cluster API's controller"},
				{Namespace: "capa-system", Name: "capa-controller-manager", Operator: "Cluster API Provider AWS"},
			},
		}
	}
	return nil
}

// partOf returns the cluster with a kind of object that uses a part of it.
func partOf(object string) *Cluster {
	c := ownCluster(object)
	if c == nil {
		return nil
	}
	return &Cluster{
		Object: object, Part: true, Output: c.Output, Tag: c.Tag,
		Find: func([]apitype.ResourceV3) *clusterstatus.HostedCluster { return nil },
	}
}

// joinedCluster returns the cluster of another owner that node pools belong to.
func joinedCluster(object string) *Cluster {
	if object != crd.HostedCluster {
		return nil
	}
	return &Cluster{
		Object:    object,
		Find:      clusterstatus.FindPools,
		Parts:     clusterstatus.PoolParts(),
		Operators: hyperShift(),
	}
}

func hyperShift() []Deployment {
	return []Deployment{{Namespace: "hypershift", Name: "operator", Operator: "HyperShift's operator"}}
}
