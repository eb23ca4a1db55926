package conformance

import (
	"cmp"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

const admission = "admissionregistration.k8s.io/"

// policy returns a ValidatingAdmissionPolicy with its binding, for operations on a resource.
func policy(operations, group, version, resource, expression, action string) []map[string]any {
	return []map[string]any{
		object(admission+"v1", "ValidatingAdmissionPolicy", "", "rule", map[string]any{"spec": map[string]any{
			"failurePolicy":    "Fail",
			"matchConstraints": matches(operations, group, version, resource),
			"validations":      []any{map[string]any{"expression": expression, "message": "rule 17"}},
		}}),
		object(admission+"v1", "ValidatingAdmissionPolicyBinding", "", "rule", map[string]any{
			"spec": map[string]any{"policyName": "rule", "validationActions": []any{action}},
		}),
	}
}

func matches(operations, group, version, resource string) map[string]any {
	return map[string]any{"resourceRules": []any{rule(operations, group, version, resource)}}
}

func rule(operations, group, version, resource string) map[string]any {
	return map[string]any{
		"apiGroups": []any{group}, "apiVersions": []any{version}, "operations": []any{operations},
		"resources": []any{resource},
	}
}

// withParameters changes a policy: the ConfigMap of a name has its parameters, and without it the binding does this.
func withParameters(objects []map[string]any, name, missing string) []map[string]any {
	objects[0]["spec"].(map[string]any)["paramKind"] = map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}
	objects[1]["spec"].(map[string]any)["paramRef"] = map[string]any{
		"name": name, "namespace": "clusters", "parameterNotFoundAction": missing,
	}
	return append([]map[string]any{object("v1", "ConfigMap", "clusters", "rule", map[string]any{
		"data": map[string]any{"region": "eu-west-1"},
	})}, objects...)
}

// matching changes a policy or a webhook: it judges only what an expression is true of.
func matching(objects []map[string]any, expression string) []map[string]any {
	of := props.Map(objects[0])
	to := of.Object("spec")
	if hooks := of.Objects("webhooks"); len(hooks) > 0 {
		to = hooks[0]
	}
	to["matchConditions"] = []any{map[string]any{"name": "some", "expression": expression}}
	return objects
}

// mutation returns a MutatingAdmissionPolicy with its binding, which applies an expression to new HostedClusters.
func mutation(failurePolicy, expression string) []map[string]any {
	return []map[string]any{
		object(admission+"v1beta1", "MutatingAdmissionPolicy", "", "rule", map[string]any{"spec": map[string]any{
			"failurePolicy": failurePolicy, "reinvocationPolicy": "Never",
			"matchConstraints": matches("CREATE", "hypershift.openshift.io", "v1beta1", "hostedclusters"),
			"mutations": []any{map[string]any{
				"patchType": "ApplyConfiguration", "applyConfiguration": map[string]any{"expression": expression},
			}},
		}}),
		object(admission+"v1beta1", "MutatingAdmissionPolicyBinding", "", "rule", map[string]any{
			"spec": map[string]any{"policyName": "rule"},
		}),
	}
}

// webhook returns a webhook for operations on HostedClusters.
func webhook(operations, address, ca, failurePolicy string, timeout int) []map[string]any {
	return []map[string]any{object(admission+"v1", "ValidatingWebhookConfiguration", "", "rule", map[string]any{
		"webhooks": []any{map[string]any{
			"name": "clusters.example.com", "admissionReviewVersions": []any{"v1"}, "sideEffects": "None",
			"failurePolicy": failurePolicy, "timeoutSeconds": timeout,
			"clientConfig": map[string]any{"url": address, "caBundle": ca},
			"rules":        []any{rule(operations, "hypershift.openshift.io", "v1beta1", "hostedclusters")},
		}},
	})}
}

// reviews serves a webhook that denies at /deny, judges the form of a VPC's ID at /vpc and never answers at /hang, and
// returns its address and its CA.
func reviews(t *testing.T) (address, ca string) {
	t.Helper()
	ended := make(chan struct{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			select {
			case <-ended:
			case <-r.Context().Done():
			}
			return
		}
		body, _ := io.ReadAll(r.Body)
		var review props.Map
		_ = json.Unmarshal(body, &review)
		vpc := review.At("request", "object", "spec", "platform", "aws", "cloudProviderConfig", "vpc")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
			"response": map[string]any{
				"uid":     review.Object("request").String("uid"),
				"allowed": r.URL.Path == "/vpc" && vpcID.MatchString(fmt.Sprint(vpc)),
				"status":  map[string]any{"message": "clusters need a cost-center", "code": http.StatusTeapot},
			},
		})
	}))
	server.TLS.MinVersion = tls.VersionTLS12
	t.Cleanup(func() { close(ended); server.Close() })
	return server.URL, base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{
		Type: "CERTIFICATE", Bytes: server.Certificate().Raw,
	}))
}

var vpcID = regexp.MustCompile(`^vpc-[0-9a-f]{17}$`)

// skipping changes a webhook: it does nothing for a dry run but judge.
func skipping(objects []map[string]any) []map[string]any {
	objects[0]["webhooks"].([]any)[0].(map[string]any)["sideEffects"] = "NoneOnDryRun"
	return objects
}

// quota returns a quota and a LimitRange of the namespace of clusters.
func quota(hard map[string]any) []map[string]any {
	return []map[string]any{
		object("v1", "ResourceQuota", "clusters", "rule", map[string]any{"spec": map[string]any{"hard": hard}}),
		object("v1", "LimitRange", "clusters", "rule", map[string]any{"spec": map[string]any{
			"limits": []any{map[string]any{"type": "Container", "max": map[string]any{"cpu": "1"}}},
		}}),
	}
}

// with puts objects on the API server while f runs.
func (c *trials) with(objects []map[string]any, f func()) {
	c.t.Helper()
	for _, one := range objects {
		path := strings.Replace(installedPath(one), "policys", "policies", 1)
		name := props.Map(one).Object("metadata").String("name")
		c.send(http.MethodPost, path, one)
		if hard := props.Map(one).At("spec", "hard"); hard != nil { // Kubernetes' controller does not run here
			used := map[string]any{}
			for name := range hard.(map[string]any) {
				used[name] = "0"
			}
			c.send(http.MethodPatch, path+"/"+name+"/status", map[string]any{
				"status": map[string]any{"hard": hard, "used": used},
			})
		}
		defer c.send(http.MethodDelete, path+"/"+name, nil)
	}
	f()
}

// heard runs a command and returns what it said, its error included.
func (c *trials) heard(command rights.Command) (text string, err error) {
	c.t.Helper()
	c.mu.Lock()
	c.said.Reset()
	c.mu.Unlock()
	result, err := c.command(command)
	if preview, is := result.(*automation.PreviewResult); is && err == nil {
		for _, refusal := range preview.Refusals {
			err = errors.Join(err, refusal.Err)
		}
		err = errors.Join(err, preview.Unanswered)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	text = fmt.Sprint(err)
	for line := range strings.Lines(c.said.String()) {
		if len(line) < 2000 { // a plan is longer
			text += "\n" + strings.TrimSpace(line)
		}
	}
	return text, err
}

// heardUntil is heard until the command says something: the API server learns of policies and webhooks a little later.
// For "" it waits a while.
func (c *trials) heardUntil(command rights.Command, what string) (text string, err error) {
	c.t.Helper()
	if what == "" {
		time.Sleep(5 * time.Second)
	}
	for range 10 {
		if text, err = c.heard(command); strings.Contains(text, what) {
			break
		}
	}
	return text, err
}

// TestAManagementClusterWhoseRulesRefuseIsAskedBeforeAWSIsChangedOnARealAPIServer has policies, webhooks, quotas and
// definitions of a management cluster on a real API server: preview says what up would be refused, and destroy deletes
// nothing if the cluster would stay.
func TestAManagementClusterWhoseRulesRefuseIsAskedBeforeAWSIsChangedOnARealAPIServer(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: policies and webhooks of a real API server, which make conformance builds and starts")
	}
	kind := kindsOfTrials(t)["cluster"]
	c := newTrials(t, kind.text, "--feature-gates", "MutatingAdmissionPolicy=true", "--runtime-config",
		admission+"v1beta1=true")
	kind.install(c)
	c.send(http.MethodPost, "/api/v1/namespaces", object("v1", "Namespace", "", "clusters", map[string]any{
		"metadata": map[string]any{
			"name":   "clusters",
			"labels": map[string]any{"pod-security.kubernetes.io/enforce": "restricted"},
		},
	}))
	hook, ca := reviews(t)
	const clusters, deny = "hypershift.openshift.io", "has(object.metadata.labels) && 'cost-center' in object.metadata.labels"
	const refused = "the management cluster refuses HostedCluster demo, as a dry run shows: "
	const open, pool = "the management cluster may refuse ", "the management cluster refuses NodePool "
	hosted := func(expression string) []map[string]any {
		return policy("CREATE", clusters, "v1beta1", "hostedclusters", expression, "Deny")
	}
	pools := func(expression string) []map[string]any {
		return policy("CREATE", clusters, "v1beta1", "nodepools", expression, "Deny")
	}
	const account = "^arn:aws:iam::123456789012:role/"
	beside := definitionIn(t, "testdata/hostedcluster.json")
	c.send(http.MethodPost, installedPath(beside), beside)
	itsVPC := props.Map(beside).At("spec", "platform", "aws", "cloudProviderConfig", "vpc").(string)
	for _, one := range []struct {
		name    string
		objects []map[string]any
		// refuses is what the preview refuses, and says what it says otherwise.
		refuses, says string
	}{
		{name: "a namespace of PodSecurity's standard restricted"},
		{"a policy that denies", policy("CREATE", clusters, "v1beta1", "hostedclusters", deny, "Deny"), refused, ""},
		{"a policy that warns", policy("CREATE", clusters, "v1beta1", "hostedclusters", deny, "Warn"), "", ""},
		{"a policy that audits", policy("CREATE", clusters, "v1beta1", "hostedclusters", deny, "Audit"), "", ""},
		{"a policy of Secrets", policy("CREATE", "", "v1", "secrets", deny, "Deny"),
			"the management cluster refuses Secret ", ""},
		{"a policy of pools", policy("CREATE", clusters, "v1beta1", "nodepools", deny, "Deny"),
			"the management cluster refuses NodePool a, as a dry run shows: ", ""},
		{"a policy whose expression fails", policy("CREATE", clusters, "v1beta1", "hostedclusters",
			"object.metadata.labels['cost-center'] != ''", "Deny"), refused, ""},
		// what AWS has yet to create, with a message that does not say what is judged
		{"the form of a VPC", hosted("object.spec.platform.aws.cloudProviderConfig.vpc.matches('^vpc-[0-9a-f]{17}$')"), "",
			""},
		{"the form of a subnet", pools("object.spec.platform.aws.subnet.id.matches('^subnet-[0-9a-f]{8,17}$')"), "", ""},
		{"the account of the roles", hosted("[object.spec.platform.aws.rolesRef.ingressARN, " +
			"object.spec.platform.aws.rolesRef.storageARN].all(r, r.matches('" + account + "'))"), "", ""},
		{"the names of the roles", hosted("object.spec.platform.aws.rolesRef.ingressARN.matches('" + account +
			"' + object.spec.infraID + '-')"), "", ""},
		{"another account", hosted("object.spec.platform.aws.rolesRef.ingressARN.startsWith('arn:aws:iam::999999999999:')"),
			refused, ""},
		{"the issuer", hosted("object.spec.issuerURL.startsWith('https://')"), "", ""},
		{"a list of VPCs", hosted("object.spec.platform.aws.cloudProviderConfig.vpc in ['vpc-1', 'vpc-2']"), "",
			open + "HostedCluster demo"},
		{"a list of VPCs, or none", hosted("!has(object.spec.platform.aws.cloudProviderConfig) || " +
			"object.spec.platform.aws.cloudProviderConfig.vpc in ['vpc-1', 'vpc-2']"), "", open + "HostedCluster demo"},
		{"a list of VPCs that must be there, beside a cluster in one of them", hosted(
			"has(object.spec.platform.aws.cloudProviderConfig) && object.spec.platform.aws.cloudProviderConfig.vpc in ['" +
				itsVPC + "']"), "", open + "HostedCluster demo"},
		{"a list of subnets", pools("object.spec.platform.aws.subnet.id in ['subnet-1', 'subnet-2']"), "",
			open + "NodePool a"},
		{"a list of subnets by ID or by filters", pools("has(object.spec.platform.aws.subnet.filters) || " +
			"object.spec.platform.aws.subnet.id in ['subnet-1', 'subnet-2']"), "", open + "NodePool a"},
		// what is known
		{"a label", hosted(deny), refused, ""},
		{"replicas", pools("object.spec.replicas > 2"), pool, ""},
		{"the namespace", hosted("object.metadata.namespace == 'other'"), refused, ""},
		{"the region", hosted("object.spec.platform.aws.region == 'eu-west-1'"), refused, ""},
		{"a tag", hosted("has(object.spec.platform.aws.resourceTags) && " +
			"object.spec.platform.aws.resourceTags.exists(t, t.key == 'owner')"), refused, ""},
		{"a policy that changes", mutation("Fail",
			"Object{metadata: Object.metadata{labels: {'cost-center': '1'}}}"), "", ""},
		{"a policy that cannot change", mutation("Fail",
			"Object{metadata: Object.metadata{labels: {'cost-center': object.metadata.labels['none']}}}"), refused, ""},
		{"a policy that need not change", mutation("Ignore",
			"Object{metadata: Object.metadata{labels: {'cost-center': object.metadata.labels['none']}}}"), "", ""},
		{"a webhook that denies", webhook("CREATE", hook+"/deny", ca, "Fail", 10), refused, ""},
		{"a webhook that denies, with side effects", skipping(webhook("CREATE", hook+"/deny", ca, "Fail", 10)), refused, ""},
		{"a webhook that judges a VPC", webhook("CREATE", hook+"/vpc", ca, "Fail", 10), "", ""},
		{"a policy by its parameters", withParameters(hosted("object.spec.platform.aws.region == params.data.region"), "rule",
			"Deny"), refused, ""},
		{"a policy without its parameters", withParameters(hosted("true"), "none", "Deny"), refused, ""},
		{"a policy that needs no parameters", withParameters(hosted("false"), "none", "Allow"), "", ""},
		{"a policy of other clusters", matching(hosted("false"), "object.metadata.name != 'demo'"), "", ""},
		{"a policy whose match cannot be known", matching(hosted("true"), "object.metadata.labels['none'] == ''"), refused, ""},
		{"a policy of the namespace", hosted("'team' in namespaceObject.metadata.labels"), refused, ""},
		{"a policy of the user", hosted("'admins' in request.userInfo.groups"), refused, ""},
		{"a webhook of other clusters", matching(webhook("CREATE", hook+"/deny", ca, "Fail", 10),
			"object.metadata.name != 'demo'"), "", ""},
		{"a webhook whose match cannot be known", matching(webhook("CREATE", hook+"/vpc", ca, "Fail", 10),
			"object.metadata.labels['none'] == ''"), refused, ""},
		{"an aggregated API that is away", []map[string]any{
			object("apiregistration.k8s.io/v1", "APIService", "", "v1beta1.metrics.k8s.io", map[string]any{
				"spec": map[string]any{
					"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100,
					"insecureSkipTLSVerify": true, "service": map[string]any{"name": "metrics", "namespace": "clusters"},
				},
			}),
		}, "", ""},
		{"a webhook that is away", webhook("CREATE", "https://"+apiserver.FreeAddress(t), ca, "Fail", 10), refused, ""},
		{"a webhook that is away and ignored", webhook("CREATE", "https://"+apiserver.FreeAddress(t), ca, "Ignore",
			10), "", ""},
		{"a webhook that is late", webhook("CREATE", hook+"/hang", ca, "Fail", 2), refused, ""},
		{"a webhook that is late and ignored", webhook("CREATE", hook+"/hang", ca, "Ignore", 2), "", ""},
		{"a webhook that takes longer than a dry run", webhook("CREATE", hook+"/hang", ca, "Fail", 30), "",
			"whether the management cluster's webhooks and policies accept the new objects was not asked: "},
		{"a quota without room", quota(map[string]any{"count/hostedclusters.hypershift.openshift.io": "0"}), refused, ""},
		{"a quota without room for all", quota(map[string]any{"count/nodepools.hypershift.openshift.io": "1"}),
			"quota rule leaves room for 1", ""},
		{"a quota of Secrets", quota(map[string]any{"secrets": "0"}), "the management cluster refuses Secret ", ""},
		{"a quota of pods", quota(map[string]any{"pods": "0", "requests.cpu": "0"}), "", ""},
	} {
		c.with(one.objects, func() {
			before := c.content("preview")
			text, err := c.heardUntil("preview", cmp.Or(one.refuses, one.says))
			switch {
			case one.refuses != "":
				require.ErrorContains(t, err, one.refuses, "%s: %s", one.name, text)
			default:
				require.NoError(t, err, one.name)
				require.Contains(t, text, one.says, one.name)
			}
			if len(before) > 0 { // the first preview creates the account
				require.Equal(t, before, c.content("preview"), one.name)
			}
			if one.says == "" && one.refuses == "" {
				require.NotContains(t, text, "was not asked", one.name)
			}
		})
	}

	c.with(mutation("Fail", "Object{metadata: Object.metadata{labels: {'cost-center': '1'}}}"), func() {
		time.Sleep(5 * time.Second)
		_, err := c.heard("up")
		require.NoError(t, err)
		_, err = c.stack.Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true})
		require.NoError(t, err, "what a policy of the management cluster adds stays")
	})
	for _, one := range []struct {
		name    string
		objects []map[string]any
		refuses string
	}{
		{"a policy that protects clusters", policy("DELETE", clusters, "v1beta1", "hostedclusters", "false", "Deny"),
			"the management cluster refuses the deletion of HostedCluster demo, as a dry run shows: "},
		{"a policy that protects pools", policy("DELETE", clusters, "v1beta1", "nodepools", "false", "Deny"),
			"the management cluster refuses the deletion of NodePool "},
		{"a webhook that protects clusters", webhook("DELETE", hook+"/deny", ca, "Fail", 10),
			"the management cluster refuses the deletion of HostedCluster demo, as a dry run shows: "},
		{"a webhook that is away", webhook("DELETE", "https://"+apiserver.FreeAddress(t), ca, "Fail", 10),
			"the management cluster refuses the deletion of HostedCluster demo, as a dry run shows: "},
	} {
		c.with(one.objects, func() {
			before := c.content("destroy")
			_, err := c.heardUntil("destroy", one.refuses)
			require.ErrorContains(t, err, one.refuses, one.name)
			require.Equal(t, before, c.content("destroy"), one.name)
			require.Len(t, c.send(http.MethodGet, "/apis/hypershift.openshift.io/v1beta1/nodepools", nil).Objects("items"), 2)
		})
	}

	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hostedclusters.hypershift.openshift.io"
	redefine := func(change func(spec props.Map)) {
		definition := c.send(http.MethodGet, path, nil)
		change(definition.Object("spec"))
		c.send(http.MethodPut, path, map[string]any(definition))
		time.Sleep(3 * time.Second)
	}
	redefine(func(spec props.Map) { // HyperShift's objects are stored in another version from now on
		old := spec.Objects("versions")[0]
		newer := old.Clone()
		newer["name"], old["storage"] = "v1", false
		spec["versions"] = []any{map[string]any(newer), map[string]any(old)}
	})
	c.send(http.MethodPatch, "/apis/hypershift.openshift.io/v1/namespaces/clusters/hostedclusters/demo",
		map[string]any{"metadata": map[string]any{"annotations": map[string]any{"stored": "again"}}})
	for _, one := range []struct {
		name   string
		change func(spec props.Map)
		says   string
	}{
		{"a conversion webhook that is away", func(spec props.Map) {
			spec["conversion"] = map[string]any{"strategy": "Webhook", "webhook": map[string]any{
				"conversionReviewVersions": []any{"v1"},
				"clientConfig":             map[string]any{"url": "https://" + apiserver.FreeAddress(t), "caBundle": ca},
			}}
		}, "conversion webhook for hypershift.openshift.io"},
		{"another version", func(spec props.Map) {
			spec["conversion"] = map[string]any{"strategy": "None"}
			for _, version := range spec["versions"].([]any) {
				version.(map[string]any)["served"] = version.(map[string]any)["name"] == "v1"
			}
		}, "the server has hostedclusters.hypershift.openshift.io in hypershift.openshift.io/v1, and not in"},
	} {
		redefine(one.change)
		before := c.content("destroy")
		for _, command := range []rights.Command{"preview", "up", "refresh", "destroy", "status"} {
			text, err := c.heard(command)
			if command != "preview" && command != "status" {
				require.Error(t, err, "%s: %s", one.name, command)
			}
			if command != "status" { // its result says it
				require.Contains(t, text, one.says, "%s: %s", one.name, command)
			}
			require.Equal(t, before, c.content("destroy"), "%s: %s", one.name, command)
		}
		require.Len(t, c.send(http.MethodGet, "/apis/hypershift.openshift.io/v1beta1/nodepools", nil).Objects("items"), 2)
	}
}
