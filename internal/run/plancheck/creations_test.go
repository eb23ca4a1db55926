package plancheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// dry is a management cluster that answers dry runs of HostedClusters with an error, and keeps what was sent.
type dry struct {
	olderCluster
	answer error
	sent   *[]map[string]any
}

func (c dry) DryApply(_ context.Context, _ string, object map[string]any) error {
	*c.sent = append(*c.sent, object)
	if object["kind"] == "HostedCluster" {
		return c.answer
	}
	return nil
}

func (dry) List(context.Context, string, string) ([]map[string]any, error) { return nil, nil }

// creates returns a plan that creates a HostedCluster with its pull secret.
func creates() *changes.Plan {
	object := func(kind, name string, more map[string]any) map[string]any {
		o := map[string]any{
			"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "clusters"},
			"__fieldManager": "x",
		}
		for key, value := range more {
			o[key] = value
		}
		return o
	}
	step := func(token string, object map[string]any) *changes.Step {
		return &changes.Step{Custom: true, Change: changes.Create, Type: "kubernetes:" + token, URN: token, New: object}
	}
	return &changes.Plan{Steps: []*changes.Step{
		step("core/v1:Secret", object("Secret", "demo-pull-secret", map[string]any{
			"data": map[string]any{".dockerconfigjson": "c2VjcmV0"},
		})),
		step("hypershift.openshift.io/v1beta1:HostedCluster", object("HostedCluster", "demo", map[string]any{
			"apiVersion": "hypershift.openshift.io/v1beta1",
			"spec": map[string]any{
				"infraID": "demo-x1", "issuerURL": changes.UnknownValue, "platform": map[string]any{"aws": map[string]any{
					"cloudProviderConfig": map[string]any{"vpc": changes.UnknownValue},
				}},
			},
		})),
	}}
}

// Each kind of stack that has objects creates them after AWS resources.
func TestObjectsOfEachKindOfStackAreAskedAbout(t *testing.T) {
	t.Parallel()
	denied := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 403,
		Message: `admission webhook "labels.example.com" denied the request: a label is missing`}}
	for name, text := range map[string]string{
		"capa": "  hypershift-aws:kind: capa\n  hypershift-aws:capa:\n    name: demo\n    kubernetesVersion: v1.33.4\n" +
			"    network: {zones: [us-east-1b]}\n    image: {id: ami-0123456789abcdef0}\n    kubeconfig: {context: management}\n",
		"management": "  hypershift-aws:kind: management\n  hypershift-aws:management:\n    oidcBucket: {name: demo-oidc}\n" +
			"    operator: {identity: AccessKeys}\n    kubeconfig: {context: management}\n",
	} {
		file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte("config:\n  aws:region: us-east-1\n"+text))
		require.NoError(t, err, name)
		var sent []map[string]any
		s := deployed(t, dry{answer: denied, sent: &sent})
		s.File = file
		require.ErrorContains(t, checker(s).checkCreations(t.Context(), creates()), "a label is missing", name)
	}
}

// An API server refuses a list with two elements of one key, whatever else is in the object; and a policy may demand
// the form of AWS's values, and the stack's account and region.
func TestPlaceholdersHaveTheFormOfAWSsValuesAndDiffer(t *testing.T) {
	t.Parallel()
	unknown := func() map[string]any { return map[string]any{"id": changes.UnknownValue} }
	of := placeholders{
		location.Location{Partition: "aws-us-gov", Account: "111122223333", Region: "us-gov-west-1"}, "team/demo-x1-",
	}
	sent := of.fill(map[string]any{
		"kind": "HostedCluster", "status": map[string]any{}, "__fieldManager": "x",
		"spec": map[string]any{
			"issuerURL": changes.UnknownValue, "dns": map[string]any{"privateZoneID": changes.UnknownValue},
			"platform": map[string]any{"aws": map[string]any{
				"cloudProviderConfig": map[string]any{"vpc": changes.UnknownValue, "subnet": unknown()},
				"rolesRef":            map[string]any{"ingressARN": changes.UnknownValue},
			}},
			"secretEncryption": map[string]any{"kms": map[string]any{"aws": map[string]any{
				"activeKey": map[string]any{"arn": changes.UnknownValue},
			}}},
			"network": map[string]any{
				"vpc": unknown(), "subnets": []any{unknown(), unknown(), unknown()},
				"securityGroupOverrides": map[string]any{"lb": changes.UnknownValue},
			},
			"securityGroups": []any{unknown(), unknown()}, "host": "api." + changes.UnknownValue + ".example.com",
		},
	}, nil)
	require.NotContains(t, sent.object, "status")
	require.NotContains(t, sent.object, "__fieldManager")
	for path, form := range map[string]string{
		"spec.issuerURL":                                  `https://[0-9a-f]+\.s3\.us-gov-west-1\.amazonaws\.com/[0-9a-f]+`,
		"spec.dns.privateZoneID":                          `Z[0-9A-F]{20}`,
		"spec.platform.aws.cloudProviderConfig.vpc":       `vpc-[0-9a-f]{17}`,
		"spec.platform.aws.cloudProviderConfig.subnet.id": `subnet-[0-9a-f]{17}`,
		"spec.platform.aws.rolesRef.ingressARN":           `arn:aws-us-gov:iam::111122223333:role/team/demo-x1-ingress`,
		"spec.secretEncryption.kms.aws.activeKey.arn": `arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/` +
			`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}`,
		"spec.network.vpc.id": `vpc-[0-9a-f]{17}`, "spec.network.securityGroupOverrides.lb": `sg-[0-9a-f]{17}`,
		"spec.network.subnets[0].id": `subnet-[0-9a-f]{17}`, "spec.network.subnets[1].id": `subnet-[0-9a-f]{17}`,
		"spec.network.subnets[2].id": `subnet-[0-9a-f]{17}`,
		"spec.securityGroups[0].id":  `sg-[0-9a-f]{17}`, "spec.securityGroups[1].id": `sg-[0-9a-f]{17}`,
		"spec.host": `placeholder-[0-9a-f]{12}`,
	} {
		require.Regexp(t, "^"+form+"$", sent.values[path], path)
	}
	require.Len(t, slices.Compact(slices.Sorted(maps.Values(sent.values))), 14)
	require.Equal(t, "api."+sent.values["spec.host"]+".example.com", props.Map(sent.object).String("spec", "host"))
}

func TestPlaceholdersAreOfTheStacksAccountRegionAndRoles(t *testing.T) {
	t.Parallel()
	check := checker(deployed(t, olderCluster{}))
	check.Connection.Target = &gate.Target{Accounts: []gate.TargetAccount{
		{Provider: "management", Account: "444455556666", Region: "eu-west-1"},
		{Account: "111122223333", Region: "us-gov-west-1"},
	}}
	p := creates()
	p.Steps = append(p.Steps, &changes.Step{
		Custom: true, Change: changes.Create, Type: awstype.Role, New: map[string]any{"path": "/team/"},
	})
	require.Equal(t, placeholders{
		location.Location{Partition: "aws-us-gov", Account: "111122223333", Region: "us-gov-west-1"}, "team/demo-x1-",
	}, check.placeholdersFor(p))
}

// ruled is a management cluster with a policy and with living objects.
type ruled struct {
	olderCluster
	rule   func(spec props.Map) string
	living []map[string]any
}

func (c ruled) DryApply(_ context.Context, _ string, object map[string]any) error {
	if object["kind"] != "HostedCluster" {
		return nil
	}
	text := c.rule(props.Map(object).Object("spec"))
	if text == "" {
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 403,
		Message: `admission webhook "rules.example.com" denied the request: ` + text}}
}

func (c ruled) List(context.Context, string, string) ([]map[string]any, error) { return c.living, nil }

// A policy need not say what it judges. What it says of a placeholder is no refusal of what AWS creates later.
func TestARefusalOfAPlaceholderIsNoRefusal(t *testing.T) {
	t.Parallel()
	vpc := func(spec props.Map) string { return spec.String("platform", "aws", "cloudProviderConfig", "vpc") }
	other := map[string]any{"kind": "HostedCluster", "spec": map[string]any{"platform": map[string]any{
		"aws": map[string]any{"cloudProviderConfig": map[string]any{"vpc": "vpc-of-a-team"}},
	}}}
	asked := 0
	for name, c := range map[string]struct {
		rule   func(spec props.Map) string
		living []map[string]any
		// refused is true for a refusal, and open for one that may come from a placeholder.
		refused, open bool
	}{
		"the form of an ID": {rule: func(spec props.Map) string {
			if !regexp.MustCompile(`^vpc-[0-9a-f]{17}$`).MatchString(vpc(spec)) {
				return "not allowed"
			}
			return ""
		}},
		"a list of IDs": {open: true, rule: func(spec props.Map) string {
			if v := vpc(spec); v != "" && v != "vpc-of-a-team" {
				return "not allowed"
			}
			return ""
		}},
		"a list of IDs that must be there": {open: true, living: []map[string]any{other}, rule: func(spec props.Map) string {
			if vpc(spec) != "vpc-of-a-team" {
				return "not allowed"
			}
			return ""
		}},
		"a list that is named": {open: true, rule: func(spec props.Map) string { return "use a VPC of your team" }},
		"a value that is named": {open: true, rule: func(spec props.Map) string {
			return vpc(spec) + vpc(props.Map{"platform": other["spec"].(map[string]any)["platform"]}) + " is not allowed"
		}},
		"a field that is named": {open: true, rule: func(props.Map) string {
			return "rule r failed at path /spec/platform/aws/cloudProviderConfig/vpc/"
		}},
		"something else": {refused: true, living: []map[string]any{other}, rule: func(props.Map) string { return "not allowed" }},
		"something else, with the time of the request": {refused: true, rule: func(props.Map) string {
			asked++
			return fmt.Sprintf("request r-%d of 10:0%d is not allowed", asked, asked)
		}},
	} {
		s := deployed(t, ruled{rule: c.rule, living: c.living})
		said := ""
		s.Session.Report = func(e report.Event) { said += fmt.Sprint(e) }
		check := checker(s)
		check.server = clusterstatus.NewServer(map[string]map[string]any{"HostedCluster": {"properties": map[string]any{
			"spec": map[string]any{"properties": map[string]any{"platform": map[string]any{"properties": map[string]any{
				"aws": map[string]any{"properties": map[string]any{"cloudProviderConfig": map[string]any{
					"required": []any{"vpc"}, "properties": map[string]any{"vpc": map[string]any{"type": "string"}},
				}}},
			}}}},
		}}})
		err := check.checkCreations(t.Context(), creates())
		if c.refused {
			require.ErrorContains(t, err, "the management cluster refuses HostedCluster demo, as a dry run shows: ", name)
		} else {
			require.NoError(t, err, name)
		}
		require.Equal(t, c.open, strings.Contains(said, "may refuse HostedCluster demo"), "%s: %s", name, said)
	}
}

// limited is a management cluster with a quota of NodePools, of which one is used.
type limited struct {
	dry
	hard string
}

func (c limited) List(_ context.Context, kind, namespace string) ([]map[string]any, error) {
	if kind != "ResourceQuota" || namespace != "clusters" {
		return nil, nil
	}
	if c.hard == "" {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "resourcequotas"}, "", errors.New("no"))
	}
	if c.hard == "unread" {
		return nil, apierrors.NewInternalError(errors.New("etcd has no leader"))
	}
	const counted = "count/nodepools.hypershift.openshift.io"
	return []map[string]any{{"metadata": map[string]any{"name": "pools"}, "status": map[string]any{
		"hard": map[string]any{counted: c.hard, "secrets": "1"}, "used": map[string]any{counted: "1", "secrets": "1"},
	}}}, nil
}

// A dry run of each pool alone is accepted by a quota that has no room for both.
func TestAQuotaMustHaveRoomForAllNewObjects(t *testing.T) {
	t.Parallel()
	for hard, room := range map[string]bool{"2": false, "3": true, "": true, "unread": true} {
		var sent []map[string]any
		s := deployed(t, limited{dry{sent: &sent}, hard})
		s.Session.Report = func(report.Event) {}
		p := creates()
		for _, name := range []string{"demo-a", "demo-b"} {
			p.Steps = append(p.Steps, &changes.Step{
				Custom: true, Change: changes.Create, Type: "kubernetes:hypershift.openshift.io/v1beta1:NodePool", URN: name,
				New: map[string]any{
					"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
					"metadata": map[string]any{"name": name, "namespace": "clusters"},
				},
			})
		}
		err := checker(s).checkCreations(t.Context(), p)
		if room {
			require.NoError(t, err, hard)
			continue
		}
		require.ErrorContains(t, err, "creates 2 of kind NodePool in namespace clusters of the management cluster, "+
			"and quota pools leaves room for 1")
	}
}

func TestWhatTheManagementClusterWouldRefuseIsKnownBeforeAWSIsChanged(t *testing.T) {
	t.Parallel()
	status := func(code int32, reason metav1.StatusReason, message string, causes ...metav1.StatusCause) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
			Details: &metav1.StatusDetails{Causes: causes},
		}}
	}
	resource := schema.GroupResource{Group: "hypershift.openshift.io", Resource: "hostedclusters"}
	for name, c := range map[string]struct {
		answer  error
		refused bool
	}{
		"accepted":  {},
		"a webhook": {status(403, metav1.StatusReasonForbidden, `admission webhook "labels.example.com" denied the request: clusters need a cost-center label`), true},
		"Kyverno":   {status(400, metav1.StatusReasonBadRequest, `admission webhook "validate.kyverno.svc-fail" denied the request: policy HostedCluster/clusters/demo`), true},
		"a policy":  {status(422, metav1.StatusReasonInvalid, `hostedclusters "demo" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`), true},
		"a quota": {apierrors.NewForbidden(resource, "demo",
			errors.New("exceeded quota: q, requested: count/hostedclusters=1")), true},
		"a webhook that hangs": {status(http.StatusInternalServerError, metav1.StatusReasonInternalError,
			`failed calling webhook "labels.example.com": context deadline exceeded`), true},
		"no right":     {apierrors.NewForbidden(resource, "demo", errors.New(`User "a" cannot patch resource`)), false},
		"no support":   {apierrors.NewBadRequest(`admission webhook "x" does not support dry run`), false},
		"no namespace": {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "clusters"), false},
		"a field with a placeholder": {status(422, metav1.StatusReasonInvalid, "invalid", metav1.StatusCause{
			Field: "spec.platform.aws.cloudProviderConfig.vpc"}), false},
		"another object of the plan": {status(403, metav1.StatusReasonForbidden, `admission webhook "x" denied the request: Secret demo-pull-secret not found`), false},
		"an error of the server":     {status(500, metav1.StatusReasonInternalError, "etcdserver: leader changed"), false},
		"a reset":                    {errors.New("connection reset by peer"), false},
	} {
		var sent []map[string]any
		s := deployed(t, dry{answer: c.answer, sent: &sent})
		s.Session.Report = func(report.Event) {}
		err := checker(s).checkCreations(t.Context(), creates())
		require.NotEmpty(t, sent, name)
		if c.refused {
			require.ErrorContains(t, err, "the management cluster refuses HostedCluster demo, as a dry run shows: ", name)
		} else {
			require.NoError(t, err, name)
		}
		for _, object := range sent {
			require.NotContains(t, object, "__fieldManager")
			if object["kind"] == "Secret" {
				require.Equal(t, map[string]any{".dockerconfigjson": content}, object["stringData"])
				require.NotContains(t, object, "data")
			} else {
				require.NotContains(t, fmt.Sprint(object), changes.UnknownValue)
			}
		}
	}
}

// A node pool may have the name of a word, such as "a", which a refusal contains by chance.
func TestAWordOfARefusalIsNoObjectOfThePlan(t *testing.T) {
	t.Parallel()
	hosted := map[string]any{"kind": "HostedCluster", "metadata": map[string]any{"name": "demo"}}
	for message, c := range map[string]struct {
		name    string
		refused bool
	}{
		"clusters need a cost-center":                     {"a", true},
		"workers must be in a team's zone":                {"workers", true},
		"use another default-pool":                        {"pool", true},
		`NodePool "workers" has no team`:                  {"workers", false},
		"nodepool workers has no team":                    {"workers", false},
		"nodepools clusters/workers has no team":          {"workers", false},
		"demo-1 has no team":                              {"demo-1", false},
		"the pools of demo-10 have no team":               {"demo-1", true},
		`nodepools.hypershift.openshift.io 'a' not found`: {"a", false},
	} {
		err := &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden,
			Message: `admission webhook "x" denied the request: ` + message,
		}}
		pool := map[string]any{"kind": "NodePool", "metadata": map[string]any{"name": c.name}}
		refused, _ := judgeDryRun(err, hosted, []map[string]any{hosted, pool})
		require.Equal(t, c.refused, refused, message)
	}
}
