// Package hypershift compares the operators of the offline account with HyperShift's own controllers. These run on a
// real API server and against moto, on what stacks have created; what they then have created is kept in testdata, and
// the offline operators must create the same.
package hypershift

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

var checkout = flag.String("hypershift", "", "the `folder` of a checkout of HyperShift")

// judge is a management cluster with HyperShift's controllers, and an account.
type judge struct {
	t         *testing.T
	server    *apiserver.Server
	account   *moto.Account
	balancers *elasticloadbalancingv2.Client
	names     *route53.Client
	// aws is the address of the account's API.
	aws string
	// plane is the namespace of the control plane.
	plane string
	// calls are the calls of AWS of each of HyperShift's controllers.
	calls map[controller]*moto.Calls
}

// controller is one of HyperShift's, as tools/hypershift runs it, or its function.
type controller string

// The controllers.
const (
	endpointServices controller = "operator"
	endpoints        controller = "control-plane"
	defaultGroup     controller = "default-group"
	defaultGroupEnd  controller = "default-group-deletion"
	identityAndNodes controller = "report"
)

func newJudge(t *testing.T, bin string) *judge {
	t.Helper()
	address := moto.Serve(t, "the offline operators of HyperShift, in an account that is not this project's")
	config := moto.Config(address, "ec2", "elb", "elbv2", "iam", "sts", "route53", "s3", "events", "sqs", "logs", "kms")
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	j := &judge{
		t:       t,
		server:  apiserver.Start(t, bin),
		account: moto.NewAccount(t, config),
		plane:   "clusters-demo",
		calls:   map[controller]*moto.Calls{},
	}
	j.aws = address
	j.balancers = elasticloadbalancingv2.NewFromConfig(cfg, func(o *elasticloadbalancingv2.Options) {
		o.BaseEndpoint = &address
	})
	j.names = route53.NewFromConfig(cfg, func(o *route53.Options) { o.BaseEndpoint = &address })
	crds := filepath.Join(*checkout, "cmd/install/assets/crds/hypershift-operator/zz_generated.crd-manifests")
	for _, file := range []string{"hostedclusters-Hypershift-Default", "nodepools-Default",
		"hostedcontrolplanes-Hypershift-Default", "awsendpointservices"} {
		text, err := os.ReadFile(filepath.Join(crds, file+".crd.yaml"))
		require.NoError(t, err)
		var definition map[string]any
		require.NoError(t, yaml.Unmarshal(text, &definition))
		delete(definition["spec"].(map[string]any), "conversion")
		j.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
		plural := definition["spec"].(map[string]any)["names"].(map[string]any)["plural"].(string)
		require.Eventually(t, func() bool {
			code, _, err := j.server.Try(http.MethodGet, "/apis/hypershift.openshift.io/v1beta1/"+plural, "", nil)
			return err == nil && code == http.StatusOK
		}, time.Minute, 100*time.Millisecond, plural)
	}
	return j
}

// ask sends a request and returns the object of the answer.
func (j *judge) ask(method, path, contentType string, body any, want int) map[string]any {
	j.t.Helper()
	code, text, err := j.server.Try(method, path, contentType, body)
	require.NoError(j.t, err)
	require.Equal(j.t, want, code, "%s %s: %s", method, path, text)
	var object map[string]any
	require.NoError(j.t, json.Unmarshal(text, &object))
	return object
}

func (j *judge) create(path string, object map[string]any) map[string]any {
	j.t.Helper()
	return j.ask(http.MethodPost, path, "application/json", object, http.StatusCreated)
}

const api = "/apis/hypershift.openshift.io/v1beta1/namespaces/"

// applied creates the objects of a stack and what the hypershift-operator creates for the control plane.
func (j *judge) applied(s *stack) {
	j.t.Helper()
	for _, namespace := range []string{"clusters", j.plane} {
		j.create("/api/v1/namespaces", map[string]any{
			"apiVersion": "v1",
			"kind":       "Namespace",
			"metadata":   map[string]any{"name": namespace},
		})
	}
	cluster := j.create(api+"clusters/hostedclusters", s.cluster)
	for _, pool := range s.pools {
		j.create(api+"clusters/nodepools", pool)
	}
	spec := map[string]any{"issuerURL": cluster["spec"].(map[string]any)["issuerURL"],
		"pullSecret": map[string]any{"name": "pull-secret"}, "sshKey": map[string]any{},
		"releaseImage": "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"}
	for _, field := range []string{"dns", "etcd", "infraID", "networking", "platform", "services",
		"controllerAvailabilityPolicy", "infrastructureAvailabilityPolicy"} {
		if value, has := cluster["spec"].(map[string]any)[field]; has {
			spec[field] = value
		}
	}
	j.create(api+j.plane+"/hostedcontrolplanes", map[string]any{"apiVersion": "hypershift.openshift.io/v1beta1",
		"kind": "HostedControlPlane",
		"metadata": map[string]any{
			"name":        "demo",
			"namespace":   j.plane,
			"annotations": map[string]any{"hypershift.openshift.io/cluster": "clusters/demo"},
		}, "spec": spec})
}

// balance creates the load balancers of the services of the control plane, as Kubernetes does.
func (j *judge) balance(services []string) {
	j.t.Helper()
	all, err := j.account.Compute.DescribeSubnets(j.t.Context(), &ec2.DescribeSubnetsInput{})
	require.NoError(j.t, err)
	for i := range services {
		made, err := j.balancers.CreateLoadBalancer(j.t.Context(),
			&elasticloadbalancingv2.CreateLoadBalancerInput{Name: aws.String(balancerName(i + 1)),
				Type: elbtypes.LoadBalancerTypeEnumNetwork, Scheme: elbtypes.LoadBalancerSchemeEnumInternal,
				Subnets: []string{*all.Subnets[0].SubnetId}})
		require.NoError(j.t, err)
		j.account.Rename(balancerARN(i+1), *made.LoadBalancers[0].LoadBalancerArn)
	}
}

// expose creates the Service of a load balancer, whose host name has Kubernetes' name for it.
func (j *judge) expose(service string, number int) {
	j.t.Helper()
	j.create("/api/v1/namespaces/"+j.plane+"/services", map[string]any{"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{"name": service, "namespace": j.plane},
		"spec":     map[string]any{"type": "LoadBalancer", "ports": []any{map[string]any{"port": 443, "protocol": "TCP"}}}})
	j.ask(http.MethodPatch, "/api/v1/namespaces/"+j.plane+"/services/"+service+"/status", "application/merge-patch+json",
		map[string]any{"status": map[string]any{
			"loadBalancer": map[string]any{
				"ingress": []any{map[string]any{
					"hostname": balancerName(number) + "-0123456789abcdef.elb.us-east-1.amazonaws.com",
				}},
			}}}, http.StatusOK)
}

// controllers starts one of HyperShift's operators behind a proxy that keeps its calls of AWS.
func (j *judge) controllers(bin string, as controller) {
	j.t.Helper()
	process, log := j.command(bin, as, j.watched(as), testKeys)
	process.Stdout = log
	apiserver.Run(j.t, process)
	j.t.Cleanup(func() {
		if j.t.Failed() {
			lines := strings.Split(log.String(), "\n")
			j.t.Logf("the log of %s ends with\n%s", as, strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
	})
}

// watched returns the address of a proxy that keeps the calls of a controller.
func (j *judge) watched(as controller) string {
	address, calls := moto.WatchAs(j.t, moto.HyperShift, j.aws)
	j.calls[as] = calls
	return address
}

// group has the control-plane-operator create the default security group of the nodes, and copies its ID to the
// HostedCluster as the hypershift-operator does: the machine templates name it.
func (j *judge) group(bin string) {
	j.t.Helper()
	process, log := j.command(bin, defaultGroup, j.watched(defaultGroup), testKeys)
	require.NoError(j.t, process.Run(), "%s", log)
	plane := j.ask(http.MethodGet, api+j.plane+"/hostedcontrolplanes/demo", "", nil, http.StatusOK)
	platform := plane["status"].(map[string]any)["platform"]
	require.NotEmpty(j.t, platform.(map[string]any)["aws"].(map[string]any)["defaultWorkerSecurityGroupID"])
	j.ask(http.MethodPatch, api+"clusters/hostedclusters/demo/status", "application/merge-patch+json",
		map[string]any{"status": map[string]any{"platform": platform}}, http.StatusOK)
}

// ungroup has it delete the group.
func (j *judge) ungroup(bin string) {
	j.t.Helper()
	process, log := j.command(bin, defaultGroupEnd, j.watched(defaultGroupEnd), testKeys)
	require.NoError(j.t, process.Run(), "%s", log)
}

// testKeys are access keys of moto, as a profile has them.
const testKeys = "aws_access_key_id = test\naws_secret_access_key = test\n"

// command returns the program with a profile of AWS.
func (j *judge) command(bin string, as controller, address, profile string) (*exec.Cmd, *bytes.Buffer) {
	j.t.Helper()
	kubeconfig, err := j.server.Kubeconfig()
	require.NoError(j.t, err)
	credentials := filepath.Join(j.t.TempDir(), "credentials")
	require.NoError(j.t, os.WriteFile(credentials, []byte("[default]\n"+profile), 0o600))
	log := &bytes.Buffer{}
	process := exec.Command(filepath.Join(bin, "hypershift-controllers"), string(as), "clusters", "demo", j.plane)
	process.Stderr = log
	process.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "AWS_REGION=us-east-1",
		"AWS_SHARED_CREDENTIALS_FILE="+credentials,
		"AWS_EC2_METADATA_DISABLED=true", "AWS_ENDPOINT_URL="+address, "AWS_ENDPOINT_URL_STS="+address)
	return process, log
}

// report returns what the program prints.
func (j *judge) report(bin string) report {
	j.t.Helper()
	process, log := j.command(bin, identityAndNodes, j.watched(identityAndNodes), testKeys)
	return j.said(process, log)
}

// report is what the program prints.
type report struct {
	Machines map[string]map[string]any
	Identity map[string]any
}

func (j *judge) said(process *exec.Cmd, log *bytes.Buffer) (r report) {
	j.t.Helper()
	text, err := process.Output()
	require.NoError(j.t, err, "%s", log)
	require.NoError(j.t, json.Unmarshal(text, &r))
	return r
}

// until waits until both conditions of an AWSEndpointService are true.
func (j *judge) until(service string) {
	j.t.Helper()
	var last map[string]any
	require.Eventually(j.t, func() bool {
		code, text, err := j.server.Try(http.MethodGet, api+j.plane+"/awsendpointservices/"+service, "", nil)
		if err != nil || code != http.StatusOK || json.Unmarshal(text, &last) != nil {
			return false
		}
		status, _ := last["status"].(map[string]any)
		conditions, _ := status["conditions"].([]any)
		met := 0
		for _, c := range conditions {
			if c.(map[string]any)["status"] == "True" {
				met++
			}
		}
		return met == 2
	}, 3*time.Minute, time.Second, "AWSEndpointService %s is not available: %v", service, &last)
}

// remove deletes an AWSEndpointService, and waits until the controllers have let it go.
func (j *judge) remove(service string) {
	j.t.Helper()
	path := api + j.plane + "/awsendpointservices/" + service
	j.ask(http.MethodDelete, path, "application/json", nil, http.StatusOK)
	require.Eventually(j.t, func() bool {
		code, _, err := j.server.Try(http.MethodGet, path, "", nil)
		return err == nil && code == http.StatusNotFound
	}, time.Minute, time.Second, "AWSEndpointService %s is not deleted", service)
}

// refusedIdentity describes the condition of the identity provider if STS refuses the control-plane-operator's token
// with a code.
func (j *judge) refusedIdentity(bin, code string) string {
	j.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>refused</Message></Error><RequestId>1</RequestId></ErrorResponse>", code)
	}))
	defer server.Close()
	token := filepath.Join(j.t.TempDir(), "token")
	require.NoError(j.t, os.WriteFile(token, []byte("token"), 0o600))
	process, log := j.command(bin, identityAndNodes, server.URL, "role_arn = arn:aws:iam::123456789012:role/demo-x1-control-plane-operator\nweb_identity_token_file = "+token+"\n")
	identity := j.said(process, log).Identity
	return fmt.Sprintf("identity provider if STS answers %s: %s %s: %s\n", code, identity["status"], identity["reason"],
		identity["message"])
}

func TestHyperShiftsControllersAndTheOfflineOperatorsCreateTheSameThroughAWSsAPI(t *testing.T) {
	if *apiserver.Folder == "" || *checkout == "" {
		t.Skip("NOT TESTED: HyperShift's controllers on the resources of stacks of kind cluster, which make conformance HYPERSHIFT=… builds and runs")
	}
	recordCommit(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := c.up(t)
			j := newJudge(t, *apiserver.Folder)
			j.balance(s.services)
			s.create(j.account)
			j.applied(s)
			j.group(*apiserver.Folder)
			if c.name == "private" {
				golden.Require(t, "testdata/identity.txt",
					j.refusedIdentity(*apiserver.Folder, "InvalidIdentityToken")+j.refusedIdentity(*apiserver.Folder, "AccessDenied"))
			}
			j.controllers(*apiserver.Folder, endpointServices)
			j.controllers(*apiserver.Folder, endpoints)
			for i, service := range s.services {
				j.expose(service, i+1)
			}
			for _, service := range s.services {
				j.until(service)
			}
			recorded := madeOfNodes(j, s) + made(t, j, s)
			for _, service := range s.services {
				j.remove(service)
			}
			j.ungroup(*apiserver.Folder)
			golden.Require(t, filepath.Join("testdata", c.name+".txt"), recorded+afterDeletion+made(t, j, s))
			requireRecorded(t, c.name, j.recorded(s))
			for as, calls := range j.calls {
				calls.RequireAllowed(t, []policy.Document{s.policies[as.role()]})
			}
		})
	}
}
