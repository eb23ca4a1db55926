package iam

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// trustPolicy lets the given service accounts take a role with tokens that the OIDC provider vouches
// for and that were minted for AWS.
func trustPolicy(providerARN, issuerURL string, serviceAccounts []string) Document {
	issuer := strings.TrimPrefix(issuerURL, "https://")
	subjects := make([]string, len(serviceAccounts))
	for i, account := range serviceAccounts {
		subjects[i] = subject(account)
	}
	return NewDocument(Statement{
		Effect:    Allow,
		Principal: &Principal{Federated: providerARN},
		Action:    []string{"sts:AssumeRoleWithWebIdentity"},
		Condition: Condition{"StringEquals": {
			issuer + ":sub": subjects,
			issuer + ":aud": audiences(),
		}},
	})
}

// TrustPolicy is the trust policy of a role that does the work of the given ones, as RoleSet writes it: for
// roles that are made elsewhere.
func TrustPolicy(providerARN, issuerURL string, roles ...RoleName) Document {
	var serviceAccounts []string
	for _, spec := range append(roleSpecs(), kmsProviderSpec(), karpenterSpec()) {
		if slices.Contains(roles, spec.name) {
			serviceAccounts = append(serviceAccounts, spec.serviceAccounts...)
		}
	}
	return trustPolicy(providerARN, issuerURL, serviceAccounts)
}

// subject is how a token names a service account.
func subject(serviceAccount string) string { return "system:serviceaccount:" + serviceAccount }

// foundTrust is a trust policy that somebody else has written: what is a list may be a single text.
type foundTrust struct {
	Statement oneOrMany[struct {
		Effect    Effect
		Principal foundPrincipal
		Action    oneOrMany[string]
		Condition map[string]map[string]oneOrMany[string]
	}]
}

type foundPrincipal struct{ Federated, Service oneOrMany[string] }

func (p *foundPrincipal) UnmarshalJSON(text []byte) error {
	if string(text) == `"*"` {
		p.Service = oneOrMany[string]{everything}
		return nil
	}
	type plain foundPrincipal
	return json.Unmarshal(text, (*plain)(p))
}

// oneOrMany is a list that is written without brackets where it has one item.
type oneOrMany[T any] []T

func (l *oneOrMany[T]) UnmarshalJSON(text []byte) error {
	var many []T
	if json.Unmarshal(text, &many) == nil {
		*l = many
		return nil
	}
	var one T
	err := json.Unmarshal(text, &one)
	*l = oneOrMany[T]{one}
	return err
}

// trustsServiceAccount says whether a trust policy lets a service account take the role with a token of
// the issuer. Conditions on anything but subject and audience are taken to hold.
func trustsServiceAccount(document, issuerURL, serviceAccount string) bool {
	var trust foundTrust
	if json.Unmarshal([]byte(document), &trust) != nil {
		return false
	}
	issuer := strings.TrimPrefix(issuerURL, "https://")
	for _, statement := range trust.Statement {
		vouched := slices.ContainsFunc(statement.Principal.Federated, func(arn string) bool {
			return strings.HasSuffix(arn, ":oidc-provider/"+issuer)
		})
		if statement.Effect == Allow && vouched && permits(statement.Action, "sts:AssumeRoleWithWebIdentity") &&
			admits(statement.Condition, issuer+":sub", subject(serviceAccount)) &&
			admits(statement.Condition, issuer+":aud", audiences()[0]) {
			return true
		}
	}
	return false
}

// trustsService says whether a trust policy lets one of an AWS service's principals take the role.
func trustsService(document string, principals ...string) bool {
	var trust foundTrust
	if json.Unmarshal([]byte(document), &trust) != nil {
		return false
	}
	for _, statement := range trust.Statement {
		named := slices.ContainsFunc(statement.Principal.Service, func(name string) bool {
			return name == everything || slices.Contains(principals, name)
		})
		if statement.Effect == Allow && named && permits(statement.Action, "sts:AssumeRole") {
			return true
		}
	}
	return false
}

func permits(actions []string, action string) bool {
	return slices.ContainsFunc(actions, func(pattern string) bool {
		return matches(strings.ToLower(pattern), strings.ToLower(action))
	})
}

// admits says whether conditions leave room for a key's value.
func admits(conditions map[string]map[string]oneOrMany[string], key, value string) bool {
	for operator, keys := range conditions {
		values, named := keys[key]
		if !named {
			continue
		}
		same := func(wanted string) bool { return wanted == value }
		if strings.Contains(operator, "StringLike") {
			same = func(wanted string) bool { return matches(wanted, value) }
		}
		if found := slices.ContainsFunc(values, same); found == strings.Contains(operator, "Not") {
			return false
		}
	}
	return true
}

// matches holds a text against a pattern with IAM's wildcards, * and ?. Those of path.Match are the same
// in a text without slashes, and have two more, which are taken by themselves.
func matches(pattern, text string) bool {
	plain := strings.NewReplacer("/", "\x00", "[", `\[`, `\`, `\\`)
	found, err := path.Match(plain.Replace(pattern), strings.ReplaceAll(text, "/", "\x00"))
	return err == nil && found
}
