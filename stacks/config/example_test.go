package config_test

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// A file is read with all its faults at once.
func ExampleKinds_ParseFile() {
	_, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(`config:
  aws:region: us-east-1
  hypershift-aws:kind: management
  hypershift-aws:management: {oidcBucket: {name: No}, operator: {identity: AccessKeys}}
`))
	for _, f := range fault.In(err) {
		fmt.Println(f.Path)
	}
	// Output: hypershift-aws:management.oidcBucket.name
}

// The text of a content has none of the secrets that a program gives as values.
func ExampleSecretValue() {
	section := &config.Cluster{BaseDomain: "example.com", HostedCluster: &config.HostedCluster{PullSecret: config.SecretValue(`{"auths": {}}`)}}
	text, secrets, err := stacks.Kinds().Encode(config.Content{Section: section})
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Contains(string(text), "auths"), len(secrets))
	// Output: false 1
}
