package capi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// stack is a stack of kind capa whose resources exist in the account and whose objects the API server has.
type stack struct {
	name string
	// resources are the stack's AWS resources with the account's IDs, by URN name and type.
	resources []moto.Resource
	objects   []*unstructured.Unstructured
}

// ids returns the IDs of the stack's resources of a type, by their names in the stack.
func (s *stack) ids(token string) map[string]string {
	found := map[string]string{}
	for _, r := range s.resources {
		if r.Type == token {
			found[r.URN[strings.LastIndex(r.URN, ":")+1:]] = r.ID
		}
	}
	return found
}

// up brings a stack up offline with the real engine, and creates what its state has in the account. The objects are
// created in apply.
func (j *judge) up(t *testing.T, name, config string) *stack {
	t.Helper()
	engine := enginetest.New(t, stacks.Run, enginetest.Options{})
	engine.Configure(config)
	engine.Up()
	s := j.create(t, name, engine)
	require.NotEmpty(t, s.objects)
	return s
}

// given brings up a stack that creates nothing in AWS, because a stack of another project has created its VPC, its
// security groups and its instance profiles. These are the resources of the returned stack.
func (j *judge) given(t *testing.T, name string, zones ...string) *stack {
	t.Helper()
	config := configOf(t, "capa-private", name, zones...)
	without, _, found := strings.Cut(config, "    kubeconfig: {}")
	require.True(t, found)
	owner := enginetest.New(t, stacks.Run, enginetest.Options{Project: "owner"})
	owner.Configure(without)
	owner.Up()
	there := map[string]string{} // the IDs in the state, by the names in it
	for _, r := range owner.State() {
		if slices.Contains([]string{awstype.VPC, awstype.Subnet, awstype.SecurityGroup, awstype.InstanceProfile},
			string(r.Type)) {
			there[r.URN.Name()] = string(r.ID)
		}
	}
	s := j.create(t, name, owner)
	require.Empty(t, s.objects)

	var subnets []string
	for _, zone := range zones {
		subnets = append(subnets, fmt.Sprintf("{zone: %s, private: %s, public: %s}", zone,
			there["capa-network-private-"+zone], there["capa-network-public-"+zone]))
	}
	network, rest, found := strings.Cut(config, "    network:\n")
	require.True(t, found)
	_, rest, found = strings.Cut(rest, "    kubeconfig:")
	require.True(t, found)
	user := enginetest.New(t, stacks.Run, enginetest.Options{Beside: owner})
	user.Configure(fmt.Sprintf("%s    network:\n      existing: {vpcID: %s, subnets: [%s]}\n    securityGroups:\n      ids: {apiServerLB: %s, lb: %s, controlPlane: %s, node: %s}\n"+
		"    iam: {existing: {controlPlane: %s, nodes: %s}}\n    kubeconfig:%s", network, there["capa-network-vpc"],
		strings.Join(subnets, ", "), there["capa-groups-apiserver-lb"],
		there["capa-groups-lb"], there["capa-groups-controlplane"], there["capa-groups-node"],
		there["capa-profiles-control-plane"], there["capa-profiles-nodes"], rest))
	user.Up()
	own := j.create(t, name, user)
	require.Empty(t, own.resources)
	require.NotEmpty(t, own.objects)
	s.objects = own.objects
	return s
}

// create creates the AWS resources of an engine's state in the account, and reads its objects.
func (j *judge) create(t *testing.T, name string, engine *enginetest.Stack) *stack {
	t.Helper()
	image := j.image(t)
	s := &stack{name: name}
	var objects []moto.Resource
	for _, r := range engine.State() {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		var resource moto.Resource
		require.NoError(t, json.Unmarshal(text, &resource))
		for _, input := range []string{"ami", "input"} { // of an instance, and of what was looked up
			if id, _ := resource.Inputs[input].(string); strings.HasPrefix(id, "ami-") {
				j.account.Rename(id, image)
			}
		}
		switch token := string(r.Type); {
		case strings.HasPrefix(token, "aws:"):
			j.account.Create(resource)
			s.resources = append(s.resources, j.account.Here(resource))
		case strings.HasPrefix(token, "kubernetes:") && !strings.HasSuffix(token, "Patch"):
			objects = append(objects, resource)
		}
	}
	for _, r := range objects {
		s.objects = append(s.objects, &unstructured.Unstructured{Object: j.account.Here(r).Inputs})
	}
	return s
}

// image returns an image of moto.
func (j *judge) image(t *testing.T) string {
	t.Helper()
	images, err := j.account.Compute.DescribeImages(t.Context(), &ec2.DescribeImagesInput{
		Owners: []string{"099720109477"},
	})
	require.NoError(t, err)
	require.NotEmpty(t, images.Images)
	return aws.ToString(images.Images[0].ImageId)
}

// configOf returns the config of an example, as a cluster of another name in zones.
func configOf(t *testing.T, example, name string, zones ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", example, "Pulumi.demo.yaml"))
	require.NoError(t, err)
	config := strings.Replace(string(text), "name: demo", "name: "+name, 1)
	config = strings.Replace(config, "zones: [us-east-1a]", "zones: ["+strings.Join(zones, ", ")+"]", 1)
	require.Contains(t, config, "name: "+name)
	return config
}
