package iam

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func workload() *WorkloadRoleArgs {
	return &WorkloadRoleArgs{
		Cluster:         hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
		OIDCProviderARN: pulumi.String("arn:aws:iam::123456789012:oidc-provider/issuer"),
		IssuerURL:       pulumi.String("https://issuer"),
		Workload: Workload{
			Namespace:      "shop",
			ServiceAccount: "orders",
			Policies:       []string{"arn:aws:iam::aws:policy/ReadOnlyAccess"},
		},
	}
}

func TestABadWorkloadIsRefusedWithItsPath(t *testing.T) {
	t.Parallel()
	require.NoError(t, workload().Validate())
	for want, change := range map[string]func(*WorkloadRoleArgs){
		`namespace: "Shop" is not the name of a namespace`:           func(a *WorkloadRoleArgs) { a.Namespace = "Shop" },
		`serviceAccount: "a_b" is not the name of a service account`: func(a *WorkloadRoleArgs) { a.ServiceAccount = "a_b" },
		"use at most 253 of a-z, 0-9, - and .":                       func(a *WorkloadRoleArgs) { a.ServiceAccount = strings.Repeat("a", 254) },
		"roleName: \"demo-x1-shop-" + strings.Repeat("a", 60): func(a *WorkloadRoleArgs) {
			a.ServiceAccount = strings.Repeat("a", 60)
		},
		"policies is missing: the role would have no permissions": func(a *WorkloadRoleArgs) { a.Policies = nil },
		`policies[0]: "read" is not the ARN of a managed policy`:  func(a *WorkloadRoleArgs) { a.Policies = []string{"read"} },
		"policy is not JSON":      func(a *WorkloadRoleArgs) { a.Policy = pulumi.String("{") },
		"policy has no Statement": func(a *WorkloadRoleArgs) { a.Policy = pulumi.String(`{"Version": "2012-10-17"}`) },
		"policy has 10264 characters without white space": func(a *WorkloadRoleArgs) {
			a.Policy = pulumi.String(`{"Statement":{}, "Id": "` + strings.Repeat("a", 10240) + `"}`)
		},
		"is a service account of HyperShift, which has the role ingress": func(a *WorkloadRoleArgs) {
			a.Namespace, a.ServiceAccount = "openshift-ingress-operator", "ingress-operator"
		},
		"oidcProviderARN is missing; set the ARN of the cluster's OIDC prov": func(a *WorkloadRoleArgs) {
			a.OIDCProviderARN = nil
		},
	} {
		args := workload()
		change(args)
		require.ErrorContains(t, args.Validate(), want)
	}
}

func TestTwoRolesNeitherShareAServiceAccountNorAName(t *testing.T) {
	t.Parallel()
	one := workload().Workload
	other, same := one, one
	other.Namespace, other.RoleName = "sales", "demo-x1-shop-orders"
	err := RoleOptions{
		WorkloadRoles: []Workload{one, other, same},
	}.validateFor(hypershift.Cluster{Name: "demo", InfraID: "demo-x1"})
	require.ErrorContains(t, err, `workloadRoles[1].roleName: "demo-x1-shop-orders" is already the name of the role of [0]`)
	require.ErrorContains(t, err, `workloadRoles[2].serviceAccount: "orders" already has the role of [0]`)
}

func TestOneRoleHasTheExactSubjectsOfSeveralServiceAccounts(t *testing.T) {
	t.Parallel()
	w := Workload{
		Namespace: "openshift-cluster-csi-drivers", Policies: []string{"arn:aws:iam::aws:policy/A"}, RoleName: "efs",
		ServiceAccounts: []string{"aws-efs-csi-driver-operator", "aws-efs-csi-driver-controller-sa"},
	}
	require.NoError(t, w.validate("demo-x1", ""))
	require.Equal(t, []string{
		"openshift-cluster-csi-drivers:aws-efs-csi-driver-operator",
		"openshift-cluster-csi-drivers:aws-efs-csi-driver-controller-sa",
	}, w.accounts())
	for path, change := range map[string]func(*Workload){
		"serviceAccounts[1]": func(w *Workload) { w.ServiceAccounts = []string{"a", "*"} },
		"serviceAccounts":    func(w *Workload) { w.ServiceAccount = "a" },
		"serviceAccount":     func(w *Workload) { w.ServiceAccounts = nil },
	} {
		changed := w
		change(&changed)
		require.Equal(t, path, fault.In(changed.validate("demo-x1", ""))[0].Path)
	}
}

func TestPoliciesAreJudgedByTheirLengthInAWS(t *testing.T) {
	t.Parallel()
	many := Workload{Namespace: "shop", Policies: []string{"arn:aws:iam::aws:policy/A"}, RoleName: "shop"}
	for i := range 45 {
		many.ServiceAccounts = append(many.ServiceAccounts, fmt.Sprintf("account-number-%02d-of-many", i))
	}
	require.ErrorContains(t, many.validate("demo-x1", ""), "serviceAccounts make the role's trust policy 2")
	many.ServiceAccounts = many.ServiceAccounts[:20]
	require.NoError(t, many.validate("demo-x1", "https://oidc.example.com/demo-x1"))
	many.Policies = slices.Repeat(many.Policies, 21)
	require.ErrorContains(t, many.validate("demo-x1", ""), `policies: "21" are more managed policies than AWS attaches to a role`)

	// IAM does not count white space.
	long := `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::` +
		strings.Repeat("b", 6000) + `"` + strings.Repeat("\n    ", 2000) + `}]}`
	require.NoError(t, validateDocument(long))
	require.ErrorContains(t, validateDocument(strings.ReplaceAll(long, "b", "bb")), "characters without white space")
}
