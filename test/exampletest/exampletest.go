// Package exampletest runs the programs of Example functions without the engine, against an AWS account in memory. It
// imports none of the packages that have such functions: each of their tests would compile everything between them
// again.
package exampletest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/trial"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// LoadBalancerARN is the ARN of a network load balancer in the account.
const LoadBalancerARN = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/router/0123456789abcdef"

// Preview runs a program as a preview does, in an account that has the public zone example.com and the network load
// balancer LoadBalancerARN, and prints what it registers: the number of resources of each type, in alphabetical order,
// or its error.
func Preview(program pulumi.RunFunc) {
	counts, err := preview(program)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%s: %d\n", name, counts[name])
	}
}

// preview counts the resources of a program by the names of their types.
func preview(program pulumi.RunFunc) (map[string]int, error) {
	dir, err := os.MkdirTemp("", "hypershift-aws-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system cleans its temporary folder
	account, err := offline.Serve(offline.Options{Dir: dir, Seeds: []offline.Seed{
		{Kind: offline.SeedPublicZone, Name: "example.com"}, {Kind: offline.SeedLoadBalancer, Name: LoadBalancerARN},
	}})
	if err != nil {
		return nil, err
	}
	defer account.Close() //nolint:errcheck // its folder is removed
	port, _, _ := strings.Cut(strings.TrimPrefix(account.Providers(), "aws:"), ",")
	registered, err := trial.Run(context.Background(), trial.Options{
		Project: "example", Stack: "example", Program: program, Address: "127.0.0.1:" + port,
		Config: map[string]string{"aws:region": "us-east-1"}, Settings: map[string]any{"region": "us-east-1"},
	})
	counts := map[string]int{}
	for _, r := range registered {
		counts[report.TypeName(r.Type)]++
	}
	return counts, err
}
