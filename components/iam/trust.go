package iam

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// trustPolicy allows the given service accounts to assume a role with tokens of the OIDC provider.
func trustPolicy(providerARN, issuerURL string, serviceAccounts []string) policy.Document {
	subjects := make([]string, len(serviceAccounts))
	for i, account := range serviceAccounts {
		subjects[i] = subject(account)
	}
	return policy.WebIdentity(providerARN, issuerURL, audiences(), subjects)
}

// TrustPolicy returns the trust policy of RoleSet for the given roles, for roles that are created elsewhere.
func TrustPolicy(providerARN, issuerURL string, roles ...RoleName) policy.Document {
	var serviceAccounts []string
	for _, spec := range roleSpecs() {
		if slices.Contains(roles, spec.name) {
			serviceAccounts = append(serviceAccounts, spec.serviceAccounts...)
		}
	}
	return trustPolicy(providerARN, issuerURL, serviceAccounts)
}

// subject returns the subject of a service account's tokens.
func subject(serviceAccount string) string { return "system:serviceaccount:" + serviceAccount }

// trustsServiceAccount reports whether a trust policy allows a service account to assume the role with a token of the
// issuer. Conditions on anything but subject and audience are assumed to be met.
func trustsServiceAccount(document, issuerURL, serviceAccount string) bool {
	trust, err := policy.Parse(document)
	if err != nil {
		return false
	}
	issuer := strings.TrimPrefix(issuerURL, "https://")
	for _, statement := range trust.Statement {
		if statement.Principal == nil {
			continue
		}
		for _, provider := range statement.Principal.Federated {
			if strings.HasSuffix(provider, ":oidc-provider/"+issuer) && policy.Evaluate(policy.Request{
				Caller: policy.Caller{Federated: provider},
				Action: "sts:AssumeRoleWithWebIdentity",
				Context: map[string][]string{
					issuer + ":sub": {subject(serviceAccount)},
					issuer + ":aud": audiences()[:1],
				},
				Partial: true,
			}, trust) == policy.Allowed {
				return true
			}
		}
	}
	return false
}

// checkTrust returns a fault if the trust policy of a role does not allow the service accounts to assume it with tokens
// of the issuer.
func checkTrust(arn, document, issuerURL string, serviceAccounts []string) error {
	var untrusted []string
	for _, account := range serviceAccounts {
		if !trustsServiceAccount(document, issuerURL, account) {
			untrusted = append(untrusted, subject(account))
		}
	}
	if len(untrusted) == 0 {
		return nil
	}
	return &fault.Fault{Value: arn, Problem: fmt.Sprintf("does not trust the tokens of %s for %s", issuerURL,
		strings.Join(untrusted, " and ")),
		Remedy: fmt.Sprintf("allow them sts:AssumeRoleWithWebIdentity in its trust policy, with the audience %s", audiences()[0])}
}

// CheckTrust returns a fault if the trust policy of an existing role does not allow what the needed one allows.
func CheckTrust(arn, document, needed string) error {
	wanted, err := policy.Parse(needed)
	if err != nil {
		return fmt.Errorf("reading the trust policy that the role needs: %w", err)
	}
	var faults fault.Faults
	for _, statement := range wanted.Statement {
		if statement.Principal == nil || len(statement.Principal.Federated) == 0 {
			continue
		}
		_, issuer, _ := strings.Cut(statement.Principal.Federated[0], ":oidc-provider/")
		var accounts []string
		for _, subject := range statement.Condition["StringEquals"][issuer+":sub"] {
			accounts = append(accounts, strings.TrimPrefix(subject, "system:serviceaccount:"))
		}
		faults.Join("", checkTrust(arn, document, "https://"+issuer, accounts))
	}
	return faults.Err()
}

// trustsService reports whether a trust policy allows one of an AWS service's principals to assume the role.
func trustsService(document string, principals ...string) bool {
	trust, err := policy.Parse(document)
	return err == nil && slices.ContainsFunc(principals, func(name string) bool {
		request := policy.Request{Caller: policy.Caller{Service: name}, Action: "sts:AssumeRole", Partial: true}
		return policy.Evaluate(request, trust) == policy.Allowed
	})
}
