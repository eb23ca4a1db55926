package plan

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func policyText(t *testing.T, statements ...map[string]any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": statements})
	require.NoError(t, err)
	return string(text)
}

// trustIn is a statement of a role's trust in the service accounts of an issuer.
func trustIn(issuer string, accounts ...string) map[string]any {
	return map[string]any{
		"Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
		"Principal": map[string]any{"Federated": "arn:aws:iam::123456789012:oidc-provider/" + issuer},
		"Condition": map[string]any{"StringEquals": map[string]any{issuer + ":sub": accounts}},
	}
}

// grantTo is a statement that grants an action to a principal.
func grantTo(principal any, action string) map[string]any {
	return map[string]any{"Effect": "Allow", "Action": action, "Principal": principal, "Resource": "*"}
}

// allows is a statement of an identity's policy.
func allows(action string, condition map[string]any, resources ...string) map[string]any {
	return map[string]any{"Effect": "Allow", "Action": []string{action}, "Resource": resources, "Condition": condition}
}

// ownedBy limits a statement to what has a cluster's tag.
func ownedBy(infraID string) map[string]any {
	return map[string]any{
		"StringEquals": map[string]any{"aws:ResourceTag/kubernetes.io/cluster/" + infraID: []string{"owned"}},
	}
}

// An endpoint's policy is judged by what machines of a cluster call through it.
func TestThePolicyOfAnEndpointIsJudgedByTheCallsThroughIt(t *testing.T) {
	t.Parallel()
	anyone := func(effect, action, resource string) map[string]any {
		return map[string]any{"Effect": effect, "Action": action, "Principal": "*", "Resource": resource}
	}
	all := anyone("Allow", "*", "*")
	own := grantTo(map[string]any{"AWS": "arn:aws:iam::123456789012:root"}, "*")
	own["Condition"] = map[string]any{"StringEquals": map[string]any{"aws:PrincipalOrgID": "o-1"}}
	for name, c := range map[string]struct {
		service string
		before  any
		after   any
		because string
	}{
		"without the call for tokens": {"sts", policyText(t, all),
			policyText(t, anyone("Allow", "sts:GetCallerIdentity", "*")),
			"no longer let sts:AssumeRoleWithWebIdentity through"},
		"the first policy, which denies all": {"s3", nil, policyText(t,
			anyone("Deny", "*", "*")), "let s3:GetObject through"},
		"all but a deny of all": {"ec2", nil, policyText(t, all,
			anyone("Deny", "ec2:*", "*")), "ec2:DescribeInstances"},
		"pulls from a registry": {"ecr.dkr", nil, policyText(t,
			anyone("Allow", "ecr:BatchGetImage", "*")), "let ecr:GetDownloadUrlForLayer through"},
		"the FIPS endpoint of a service": {"kms-fips", policyText(t, all),
			policyText(t, anyone("Allow", "kms:Encrypt", "*")), "let kms:Decrypt through"},
		"another service with a similar name": {"s3express", nil, policyText(t, anyone("Deny", "*", "*")), ""},
		"one bucket is denied": {"s3", nil, policyText(t, all,
			anyone("Deny", "*", "arn:aws:s3:::other/*")), ""},
		"the organization's callers": {"sts", policyText(t, all), policyText(t, own), ""},
		"all calls of the service": {"ecr.api", policyText(t,
			all), policyText(t, anyone("Allow", "ecr:*", "*")), ""},
		"no policy any more":              {"sts", policyText(t, anyone("Deny", "*", "*")), nil, ""},
		"a service that no machine needs": {"sns", nil, policyText(t, anyone("Deny", "*", "*")), ""},
	} {
		err := Guard(&changes.Plan{Steps: []*changes.Step{{
			URN: "urn:pulumi:dev::p::" + awstype.VPCEndpoint + "::it", Name: "it", Type: awstype.VPCEndpoint, ID: "vpce-1",
			Change: changes.Update, Custom: true,
			Old: map[string]any{"serviceName": "com.amazonaws.us-east-1." + c.service, "policy": c.before},
			New: map[string]any{"serviceName": "com.amazonaws.us-east-1." + c.service, "policy": c.after},
		}}}, "dev", nil, nil)
		if c.because == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.because, name)
	}
}

// A distribution's own domain is that of the issuers.
func TestADomainThatADistributionLosesIsRefused(t *testing.T) {
	t.Parallel()
	with := func(aliases []any, own bool) map[string]any {
		values := map[string]any{"viewerCertificate": map[string]any{"cloudfrontDefaultCertificate": own}}
		if aliases != nil {
			values["aliases"] = aliases
		}
		return values
	}
	for name, c := range map[string]struct {
		before, after map[string]any
		refused       bool
	}{
		"another domain":     {with([]any{"a.example.org"}, false), with([]any{"b.example.org"}, false), true},
		"no domain":          {with([]any{"a.example.org"}, false), with(nil, true), true},
		"not known yet":      {with([]any{"a.example.org"}, false), with(nil, false), false},
		"a domain more":      {with([]any{"a"}, false), with([]any{"a", "b"}, false), false},
		"CloudFront's own":   {with(nil, true), with(nil, true), false},
		"a domain, at first": {with(nil, true), with([]any{"a"}, false), false},
	} {
		err := Guard(&changes.Plan{Steps: []*changes.Step{{
			URN: "urn:pulumi:dev::p::" + awstype.Distribution + "::it", Name: "it", Type: awstype.Distribution, ID: "E1",
			Change: changes.Update, Custom: true, Old: c.before, New: c.after,
		}}}, "dev", nil, nil)
		require.Equal(t, c.refused, err != nil, "%s: %v", name, err)
	}
}

// An update in place is refused like a deletion if it takes something from a cluster that may use it.
func TestAnUpdateIsJudgedByWhatItTakes(t *testing.T) {
	t.Parallel()
	account := func(id string) map[string]any {
		return grantTo(map[string]any{"AWS": "arn:aws:iam::" + id + ":root"}, "kms:*")
	}
	audience := trustIn("a", "x", "y")
	audience["Condition"].(map[string]any)["StringEquals"].(map[string]any)["a:aud"] = "openshift"
	deny := trustIn("a", "x", "y")
	deny["Effect"] = "Deny"
	for name, c := range map[string]struct {
		token, input  string
		before, after any
		because       string
	}{
		"another issuer": {awstype.Role, "assumeRolePolicy", policyText(t, trustIn("a", "x")),
			policyText(t, trustIn("b", "x")),
			"assumed by arn:aws:iam::123456789012:oidc-provider/a as x"},
		"a second issuer": {awstype.Role, "assumeRolePolicy", policyText(t, trustIn("a", "x")),
			policyText(t, trustIn("b", "x"), trustIn("a", "x")), ""},
		"a service account less": {awstype.Role, "assumeRolePolicy", policyText(t, trustIn("a", "x", "y")),
			policyText(t, trustIn("a", "x")), "as y"},
		"in two statements": {awstype.Role, "assumeRolePolicy", policyText(t, trustIn("a", "x", "y")),
			policyText(t, trustIn("a", "x"), trustIn("a", "y")), ""},
		"an audience more": {awstype.Role, "assumeRolePolicy", policyText(t,
			trustIn("a", "x", "y")), policyText(t, audience), ""},
		"denied":        {awstype.Role, "assumeRolePolicy", policyText(t, trustIn("a", "x")), policyText(t, deny), "as x"},
		"not known yet": {awstype.Role, "assumeRolePolicy", policyText(t, trustIn("a", "x")), changes.UnknownValue, ""},
		"an account of a key": {awstype.KMSKey, "policy", policyText(t, account("111111111111"), account("222222222222")),
			policyText(t, account("111111111111")), "used by account 222222222222"},
		"an account by its ID": {awstype.KMSKey, "policy", policyText(t, account("111111111111")),
			policyText(t, grantTo(map[string]any{"AWS": "111111111111"}, "kms:*")), ""},
		"fewer actions": {awstype.KMSKey, "policy", policyText(t, account("111111111111")),
			policyText(t, grantTo(map[string]any{"AWS": "111111111111"}, "kms:Decrypt")), "used by account 111111111111"},
		"no public read": {awstype.BucketPolicy, "policy", policyText(t, grantTo("*", "s3:GetObject")),
			policyText(t, grantTo(map[string]any{"Service": "cloudfront.amazonaws.com"}, "s3:GetObject")), "read by anyone"},
		"public access is blocked": {awstype.BucketPublicAccess, "blockPublicPolicy", false, true, "read by everyone"},
		"and is opened":            {awstype.BucketPublicAccess, "blockPublicPolicy", true, false, ""},
		"another zone instead": {awstype.RolePolicy, "policy",
			policyText(t, allows("route53:ChangeResourceRecordSets", nil, "arn:aws:route53:::hostedzone/Z1",
				"arn:aws:route53:::hostedzone/Z2")),
			policyText(t, allows("route53:ChangeResourceRecordSets", nil, "arn:aws:route53:::hostedzone/Z1",
				"arn:aws:route53:::hostedzone/Z3")),
			"no longer use arn:aws:route53:::hostedzone/Z2"},
		"no public zone, as without a public endpoint": {awstype.RolePolicy, "policy",
			policyText(t, allows("route53:ChangeResourceRecordSets", nil, "arn:aws:route53:::hostedzone/Z1",
				"arn:aws:route53:::hostedzone/Z2")),
			policyText(t, allows("route53:ChangeResourceRecordSets", nil, "arn:aws:route53:::hostedzone/Z1")), ""},
		"a zone more": {awstype.RolePolicy, "policy",
			policyText(t, allows("route53:ChangeResourceRecordSets", nil, "arn:aws:route53:::hostedzone/Z1")),
			policyText(t, allows("route53:ChangeResourceRecordSets", nil, "arn:aws:route53:::hostedzone/Z1",
				"arn:aws:route53:::hostedzone/Z2")), ""},
		"the tag of another cluster": {awstype.UserPolicy, "policy",
			policyText(t, allows("ec2:DeleteVpcEndpointServiceConfigurations", ownedBy("a"),
				"arn:aws:ec2:us-east-1:1:vpc-endpoint-service/*")),
			policyText(t, allows("ec2:DeleteVpcEndpointServiceConfigurations", ownedBy("b"),
				"arn:aws:ec2:us-east-1:1:vpc-endpoint-service/*")),
			"no longer use aws:ResourceTag/kubernetes.io/cluster/a owned"},
		"limited to one cluster": {awstype.RolePolicy, "policy",
			policyText(t, allows("ec2:DeleteVpcEndpointServiceConfigurations", nil, "*")),
			policyText(t, allows("ec2:DeleteVpcEndpointServiceConfigurations", ownedBy("b"), "*")), ""},
		"a key that is rotated": {awstype.RolePolicy, "policy",
			policyText(t, allows("kms:Decrypt", nil, "arn:aws:kms:us-east-1:1:key/a")),
			policyText(t, allows("kms:Decrypt", nil, "arn:aws:kms:us-east-1:1:key/b", "arn:aws:kms:us-east-1:1:key/a")), ""},
		"a new boundary": {awstype.Role, "permissionsBoundary", nil, "arn:aws:iam::123456789012:policy/b",
			"what policy arn:aws:iam::123456789012:policy/b does not allow"},
		"another boundary": {awstype.User, "permissionsBoundary", "arn:aws:iam::123456789012:policy/a",
			"arn:aws:iam::123456789012:policy/b", "policy/b does not allow"},
		"no boundary":                {awstype.Role, "permissionsBoundary", "arn:aws:iam::123456789012:policy/b", nil, ""},
		"a boundary that is unknown": {awstype.Role, "permissionsBoundary", nil, changes.UnknownValue, ""},
		"an audience less": {awstype.OIDCProvider, "clientIdLists", []any{"openshift", "sts.amazonaws.com"},
			[]any{"sts.amazonaws.com"}, "tokens for openshift"},
		"another order of audiences": {awstype.OIDCProvider, "clientIdLists", []any{"a", "b"}, []any{"b", "a", "c"}, ""},
	} {
		step := &changes.Step{
			URN: "urn:pulumi:dev::p::" + c.token + "::it", Name: "it", Type: c.token, ID: "id", Change: changes.Update,
			Custom: true,
			Old:    map[string]any{c.input: c.before}, New: map[string]any{c.input: c.after},
		}
		plan := &changes.Plan{Steps: []*changes.Step{step}}
		err := Guard(plan, "dev", nil, nil)
		if c.because == "" {
			require.NoError(t, err, name)
			continue
		}
		var refused *changes.GuardError
		require.ErrorAs(t, err, &refused, name)
		require.Contains(t, refused.Refusals[0].Because, c.because, name)
		require.Contains(t, refused.Error(), "would be restricted", name)
		require.NoError(t, Guard(plan, "dev", []string{"it"}, nil), name)

		var program Program
		program.AddPrior(step.URN, step.Old)
		program.Register(step.Type, step.Name, step.New)
		require.ErrorAs(t, program.Guard("dev", nil), &refused, "%s, in a program", name)
	}
}

// Cluster API's groups have the rules of a living cluster; the other groups of stacks have none that it cannot do
// without.
func TestTheGroupsOfAClusterAreGuarded(t *testing.T) {
	t.Parallel()
	for parent, guarded := range map[string]bool{
		"hypershift-aws:capa:SecurityGroups": true,
		"hypershift-aws:network:Bastion":     false,
	} {
		err := Guard(&changes.Plan{Steps: []*changes.Step{{
			URN: "urn:pulumi:dev::p::" + parent + "$" + awstype.SecurityGroup + "::node", Name: "node",
			Type: awstype.SecurityGroup,
			ID:   "sg-1", Change: changes.Delete, Custom: true,
		}}}, "dev", nil, nil)
		require.Equal(t, guarded, err != nil, parent)
	}
}

// The rules by which machines of a cluster reach each other are not removed or narrowed; who reaches the API server is
// the user's choice, and the bastion's rule goes with the bastion.
func TestTheRulesBetweenMachinesAreGuarded(t *testing.T) {
	t.Parallel()
	rule := func(change changes.Change, before, after map[string]any) *changes.Step {
		return &changes.Step{
			URN:  "urn:pulumi:dev::p::hypershift-aws:capa:SecurityGroups$" + awstype.SecurityGroupIngressRule + "::cni",
			Name: "cni",
			Type: awstype.SecurityGroupIngressRule, ID: "sgr-1", Change: change, Custom: true, Old: before, New: after,
		}
	}
	between := map[string]any{"referencedSecurityGroupId": "sg-1", "ipProtocol": "tcp", "fromPort": 100.0, "toPort": 200.0}
	with := func(key string, value any) map[string]any {
		other := maps.Clone(between)
		other[key] = value
		return other
	}
	bastion := &changes.Step{
		URN: "urn:pulumi:dev::p::hypershift-aws:network:Bastion$" + awstype.SecurityGroup + "::ssh", Name: "ssh",
		Type: awstype.SecurityGroup, ID: "sg-1", Change: changes.Delete, Custom: true,
	}
	for name, c := range map[string]struct {
		steps   []*changes.Step
		refused bool
	}{
		"deleted":          {[]*changes.Step{rule(changes.Delete, between, nil)}, true},
		"narrowed":         {[]*changes.Step{rule(changes.Update, between, with("toPort", 199.0))}, true},
		"another protocol": {[]*changes.Step{rule(changes.Update, between, with("ipProtocol", "udp"))}, true},
		"widened":          {[]*changes.Step{rule(changes.Update, between, with("fromPort", 1.0))}, false},
		"described":        {[]*changes.Step{rule(changes.Update, between, with("description", "x"))}, false},
		"of a network":     {[]*changes.Step{rule(changes.Delete, map[string]any{"cidrIpv4": "10.0.0.0/8"}, nil)}, false},
		"of a bastion":     {[]*changes.Step{bastion, rule(changes.Delete, between, nil)}, false},
	} {
		err := Guard(&changes.Plan{Steps: c.steps}, "dev", nil, nil)
		require.Equal(t, c.refused, err != nil, "%s: %v", name, err)
	}
}

// An object is not deleted while one that stays needs it, whatever a shorter file of the operator has.
func TestWhatAStayingObjectNeedsIsNotDeleted(t *testing.T) {
	t.Parallel()
	object := func(apiVersion, kind, name string, more map[string]any) map[string]any {
		o := map[string]any{"apiVersion": apiVersion, "kind": kind,
			"metadata": map[string]any{"name": name, "namespace": "hypershift"}}
		for key, value := range more {
			o[key] = value
		}
		return o
	}
	step := func(change changes.Change, o map[string]any) *changes.Step {
		token := "kubernetes:" + o["apiVersion"].(string) + ":" + o["kind"].(string)
		s := &changes.Step{URN: "urn:pulumi:dev::p::" + token + "::" + o["metadata"].(map[string]any)["name"].(string),
			Name: o["kind"].(string), Type: token, Change: change, New: o, Custom: true}
		if change != changes.Create {
			s.Old = o
		}
		if change == changes.Delete {
			s.New = nil
		}
		return s
	}
	deployment := object("apps/v1", "Deployment", "operator",
		map[string]any{"spec": map[string]any{"template": map[string]any{
			"spec": map[string]any{"serviceAccountName": "operator", "priorityClassName": "high", "volumes": []any{
				map[string]any{"configMap": map[string]any{"name": "flags"}},
				map[string]any{"secret": map[string]any{"secretName": "tls", "optional": true}},
			}},
		}}})
	webhook := object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hosted", map[string]any{
		"webhooks": []any{map[string]any{"clientConfig": map[string]any{
			"service": map[string]any{"name": "operator", "namespace": "hypershift"}}}},
	})
	account := []any{map[string]any{"kind": "ServiceAccount", "name": "operator", "namespace": "hypershift"}}
	binding := func(name string) map[string]any {
		return object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name, map[string]any{"subjects": account,
			"roleRef": map[string]any{"kind": "ClusterRole", "name": "operator"}})
	}
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "operator", nil)
	for name, c := range map[string]struct {
		gone   map[string]any
		others []*changes.Step
		needed string
	}{
		"a service account":      {object("v1", "ServiceAccount", "operator", nil), nil, "Deployment operator"},
		"another one":            {object("v1", "ServiceAccount", "other", nil), nil, ""},
		"a priority class":       {object("scheduling.k8s.io/v1", "PriorityClass", "high", nil), nil, "Deployment operator"},
		"a config map":           {object("v1", "ConfigMap", "flags", nil), nil, "Deployment operator"},
		"an optional Secret":     {object("v1", "Secret", "tls", nil), nil, ""},
		"the Service of webhook": {object("v1", "Service", "operator", nil), nil, "ValidatingWebhookConfiguration hosted"},
		"a binding":              {binding("operator"), nil, "Deployment operator"},
		"a binding with another name": {binding("operator"),
			[]*changes.Step{step(changes.Create, binding("renamed"))}, ""},
		"a bound role":   {role, []*changes.Step{step(changes.Same, binding("operator"))}, "ClusterRoleBinding operator"},
		"an unbound one": {role, nil, ""},
	} {
		gone := step(changes.Delete, c.gone)
		plan := &changes.Plan{Steps: append(c.others, step(changes.Same, deployment), step(changes.Update, webhook), gone)}
		var refused *changes.GuardError
		if err := Guard(plan, "mgmt", nil, nil); c.needed == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorAs(t, err, &refused, name)
			require.Contains(t, refused.Refusals[0].Needed, c.needed, name)
		}
	}
}

// A role that what runs has its permissions from is not narrowed, whatever a shorter file of the operator has; an
// upgrade may.
func TestTheRulesOfWhatRunsAreNotNarrowed(t *testing.T) {
	t.Parallel()
	object := func(apiVersion, kind string, more map[string]any) map[string]any {
		o := map[string]any{"apiVersion": apiVersion, "kind": kind,
			"metadata": map[string]any{"name": "operator", "namespace": "hypershift"}}
		maps.Copy(o, more)
		return o
	}
	step := func(before, after map[string]any) *changes.Step {
		token := "kubernetes:" + before["apiVersion"].(string) + ":" + before["kind"].(string)
		s := &changes.Step{URN: "urn:pulumi:dev::p::" + token + "::operator", Name: before["kind"].(string), Type: token,
			Change: changes.Update, Old: before, New: after, Custom: true}
		return s
	}
	role := func(verbs, resources []any) map[string]any {
		return object("rbac.authorization.k8s.io/v1", "ClusterRole", map[string]any{"rules": []any{
			map[string]any{"apiGroups": []any{"apps"}, "resources": resources, "verbs": verbs}}})
	}
	binding := func(subjects ...any) map[string]any {
		return object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", map[string]any{"subjects": subjects,
			"roleRef": map[string]any{"kind": "ClusterRole", "name": "operator"}})
	}
	account := map[string]any{"kind": "ServiceAccount", "name": "operator", "namespace": "hypershift"}
	deployment := func(image string) map[string]any {
		return object("apps/v1", "Deployment", map[string]any{"spec": map[string]any{"template": map[string]any{
			"spec": map[string]any{"serviceAccountName": "operator", "containers": []any{map[string]any{"image": image}}},
		}}})
	}
	all := role([]any{"get", "update"}, []any{"deployments", "statefulsets"})
	for name, c := range map[string]struct {
		change *changes.Step
		image  string
		needed string
	}{
		"fewer verbs": {step(all, role([]any{"get"},
			[]any{"deployments", "statefulsets"})), "a", "permission to update deployments"},
		"fewer resources": {step(all, role([]any{"get", "update"},
			[]any{"deployments"})), "a", "permission to get statefulsets"},
		"more": {step(all, role([]any{"*"}, []any{"statefulsets", "deployments"})), "a", ""},
		"some by name": {step(all, object("rbac.authorization.k8s.io/v1", "ClusterRole", map[string]any{"rules": []any{
			map[string]any{"apiGroups": []any{"apps"}, "resources": []any{"*"}, "verbs": []any{"*"},
				"resourceNames": []any{"operator"}},
		}})), "a", "permission to get deployments"},
		"fewer, in an upgrade": {step(all, role([]any{"get"}, []any{"deployments"})), "b", ""},
		"no subject any more":  {step(binding(account), binding()), "a", "has its permissions from it"},
		"a subject more": {step(binding(account),
			binding(map[string]any{"kind": "User", "name": "x"}, account)), "a", ""},
		"another subject is out": {step(binding(account, map[string]any{"kind": "User", "name": "x"}),
			binding(account)), "a", ""},
	} {
		plan := &changes.Plan{Steps: []*changes.Step{step(deployment("a"), deployment(c.image)), c.change}}
		if c.change.Name == "ClusterRole" {
			same := step(binding(account), binding(account))
			same.Change = changes.Same
			plan.Steps = append(plan.Steps, same)
		}
		var refused *changes.GuardError
		if err := Guard(plan, "mgmt", nil, nil); c.needed == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorAs(t, err, &refused, name)
			require.Contains(t, refused.Refusals[0].Needed, c.needed, name)
		}
	}
}

// A Deployment without pods, or with another service account, and a Service that reaches nothing any more, take as much
// as their deletion.
func TestWhatRunsAndWhatIsCalledStaysReachable(t *testing.T) {
	t.Parallel()
	object := func(apiVersion, kind string, spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec,
			"metadata": map[string]any{"name": "operator", "namespace": "hypershift"}}
	}
	step := func(before, after map[string]any) *changes.Step {
		token := "kubernetes:" + before["apiVersion"].(string) + ":" + before["kind"].(string)
		return &changes.Step{URN: "urn:pulumi:dev::p::" + token + "::operator", Name: before["kind"].(string), Type: token,
			Change: changes.Update, Old: before, New: after, Custom: true}
	}
	deployment := func(replicas float64, account, label string) map[string]any {
		return object("apps/v1", "Deployment", map[string]any{"replicas": replicas, "template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": label}},
			"spec":     map[string]any{"serviceAccountName": account},
		}})
	}
	service := func(label string, ports ...any) map[string]any {
		var list []any
		for _, port := range ports {
			list = append(list, map[string]any{"port": port})
		}
		return object("v1", "Service", map[string]any{"selector": map[string]any{"app": label}, "ports": list})
	}
	webhook := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", map[string]any{"conversion": map[string]any{
		"webhook": map[string]any{"clientConfig": map[string]any{
			"service": map[string]any{"name": "operator", "namespace": "hypershift"},
		}},
	}})
	runs := deployment(1, "operator", "operator")
	for name, c := range map[string]struct {
		change *changes.Step
		says   string
	}{
		"no pods":                 {step(runs, deployment(0, "operator", "operator")), "it would have no pods"},
		"more pods":               {step(runs, deployment(2, "operator", "operator")), ""},
		"another service account": {step(runs, deployment(1, "default", "operator")), "no longer run as operator"},
		"a Service of other pods": {step(service("operator", 443),
			service("none", 443)), "CustomResourceDefinition operator calls it"},
		"a Service without the port": {step(service("operator", 443), service("operator", 80)), "calls it"},
		"a Service with a port more": {step(service("operator", 443), service("operator", 443, 80)), ""},
	} {
		plan := &changes.Plan{Steps: []*changes.Step{c.change}}
		for _, other := range []map[string]any{runs, webhook} {
			if other["kind"] != c.change.Name {
				same := step(other, other)
				same.Change = changes.Same
				plan.Steps = append(plan.Steps, same)
			}
		}
		if err := Guard(plan, "mgmt", nil, nil); c.says == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.says, name)
			require.NotContains(t, err.Error(), "because  \n", name)
		}
	}
}
