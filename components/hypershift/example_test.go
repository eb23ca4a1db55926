package hypershift_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// A cluster's names and tags follow from its name and its infra ID.
func ExampleCluster() {
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
	fmt.Println(cluster.ZoneName("", "example.com"), cluster.LocalZoneName())
	fmt.Println(cluster.Validate())
	// Output:
	// demo.example.com demo.hypershift.local
	// <nil>
}
