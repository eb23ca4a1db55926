// Package kms declares the resource types and functions of KMS for the offline account.
package kms

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/kms"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Kinds returns the resource types of KMS.
func Kinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.KMSKey, Args: kms.KeyArgs{}, State: kms.KeyState{},
			Service: "KMS", Noun: "Key", Calls: aws.Calls{Update: "UpdateKeyDescription", Remove: "ScheduleKeyDeletion"},
			Constants:    props.Map{"multiRegion": false},
			ValidateFunc: map[string]func(string) string{"policy": iampolicy.JSONFault},
			NotFound:     awserr.Template{Code: "NotFoundException", Text: "Key '%s' does not exist"},
			Rules:        []aws.Rule{deletionWindow, keyPolicyStaysChangeable},
			ID:           func(*aws.Call) string { return ids.UUID() },
			OnCreate:     completeKey,
		},
		{
			Token: awstype.KMSAlias, Args: kms.AliasArgs{}, State: kms.AliasState{},
			Service: "KMS", Noun: "Alias",
			Constants:    props.Map{"namePrefix": "alias/"},
			ValidateFunc: map[string]func(string) string{"name": aliasFault},
			UniqueBy:     []string{"name"},
			References:   []aws.Reference{{Input: "targetKeyId", Type: awstype.KMSKey, Dependency: aws.DeletedWith}},
			NotFound:     awserr.Template{Code: "NotFoundException", Text: "Alias %s is not found."},
			Rules:        []aws.Rule{aliasFree},
			ID:           aws.Joined("", "name"),
			OnCreate:     completeAlias,
			OnUpdate:     completeAlias,
		},
	}
}

func completeKey(c *aws.Call) error {
	s := c.Resource.State
	s["keyId"] = c.Resource.ID
	if !s.Has("policy") {
		s["policy"] = fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Sid":"Enable IAM User Permissions","Effect":"Allow",`+
			`"Principal":{"AWS":"%s"},"Action":"kms:*","Resource":"*"}]}`, c.GlobalARN("iam", "root"))
	}
	if s.Bool("enableKeyRotation") && !s.Has("rotationPeriodInDays") {
		s["rotationPeriodInDays"] = 365.0
	}
	return nil
}

func completeAlias(c *aws.Call) error {
	c.State()["targetKeyArn"] = c.Find(awstype.KMSKey, c.State().String("targetKeyId")).State.String("arn")
	return nil
}

var aliasGrammar = regexp.MustCompile(`^alias/[a-zA-Z0-9/_-]+$`)

// aliasFault checks a name against KMS's grammar.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateAlias.html
func aliasFault(name string) string {
	if !aliasGrammar.MatchString(name) || len(name) > 256 || strings.HasPrefix(name, "alias/aws/") {
		return fmt.Sprintf("%q must begin with alias/, not with alias/aws/, and be comprised of only [a-zA-Z0-9/_-]", name)
	}
	return ""
}

// deletionWindow: a key's waiting period for deletion is 7 to 30 days.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html
func deletionWindow(c *aws.Call) error {
	if days := c.State().Number("deletionWindowInDays"); c.State().Has("deletionWindowInDays") && (days < 7 || days > 30) {
		return awserr.Errorf("ValidationException", "PendingWindowInDays must be between 7 and 30")
	}
	return nil
}

// keyPolicyStaysChangeable: a key's policy must allow a principal to change it.
// https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
func keyPolicyStaysChangeable(c *aws.Call) error {
	text := c.State().String("policy")
	if text == "" {
		return nil
	}
	if fault := iampolicy.PolicyFault(text); fault != "" {
		return awserr.Errorf("MalformedPolicyDocumentException", "%s", fault)
	}
	for _, s := range iampolicy.StatementsOf(text) {
		if s.Principal == nil {
			return awserr.Errorf("MalformedPolicyDocumentException", "Policy contains a statement with no principal.")
		}
	}
	if c.State().Bool("bypassPolicyLockoutSafetyCheck") || keyAllows(c.Site, text, c.Account, "kms:PutKeyPolicy") {
		return nil
	}
	return awserr.Errorf("MalformedPolicyDocumentException",
		"The new key policy will not allow you to update the key policy in the future.")
}

// keyAllows reports whether a key's policy allows an action to an account, as far as that depends only on the account.
func keyAllows(s aws.Site, text, account, action string) bool {
	document, err := policy.Parse(text)
	s.Account = account
	return err == nil && policy.Evaluate(policy.Request{
		Caller: policy.Caller{AWS: s.GlobalARN("iam", "root")}, Action: action, Partial: true,
	}, document) == policy.Allowed
}

// aliasFree: an alias is unique per account and region.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateAlias.html
func aliasFree(c *aws.Call) error {
	if name := c.State().String("name"); c.Old == nil && c.Find(awstype.KMSAlias, name) != nil {
		return awserr.Errorf("AlreadyExistsException", "An alias with the name %s already exists", c.ARN("kms", name))
	}
	return nil
}

// key returns the key with that ID, alias or ARN; by ARN, it may be a key of another account whose policy allows this
// one. It is nil if there is none.
func key(c *aws.Call, name string) *store.Entry {
	if arn := strings.SplitN(name, ":", 6); len(arn) == 6 {
		id := strings.TrimPrefix(arn[5], "key/")
		if rec := c.Get(store.Key{
			Scope: arn[3],
			Token: awstype.KMSKey,
			ID:    id,
		}); rec != nil && rec.State.String("arn") == name {
			return rec
		}
		// this account does not see a key whose file cannot be read
		others, _ := c.InOtherAccounts(arn[3], awstype.KMSKey, id)
		for _, other := range others {
			if other.State.String("arn") == name && keyAllows(c.Site, other.State.String("policy"), c.Account,
				"kms:DescribeKey") {
				return other.Entry
			}
		}
		return nil
	}
	if alias := c.Find(awstype.KMSAlias, name); alias != nil {
		name = alias.State.String("targetKeyId")
	}
	return c.Find(awstype.KMSKey, name)
}

// keyName matches what the provider accepts as a key: its ID, which is a UUID of version 1 to 5 or that of a
// multi-Region key, its ARN, or its alias.
var keyName = func() *regexp.Regexp {
	const id = `([0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})`
	const alias = `alias/[0-9A-Za-z_/-]+`
	return regexp.MustCompile(`^(` + id + `|` + alias + `|` +
		`arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:(key/` + id + `|` + alias + `))$`)
}()

func getKey(c *aws.Call, args kms.LookupKeyArgs) (*kms.LookupKeyResult, error) {
	if !keyName.MatchString(args.KeyId) {
		return nil, fmt.Errorf("aws:kms/getKey:getKey invoke failed: [key_id] %q (%s) is not a valid KMS Key ARN", "key_id", args.KeyId)
	}
	rec := key(c, args.KeyId)
	if rec == nil {
		return nil, fmt.Errorf("reading KMS Key (%s): %w", args.KeyId, c.Types.Kinds[awstype.KMSKey].NotFound.For(args.KeyId))
	}
	s := rec.State
	state := "Enabled"
	if !s.Bool("isEnabled") {
		state = "Disabled"
	}
	return aws.Describe[kms.LookupKeyResult](c, rec, props.Map{
		"keyId": args.KeyId, "awsAccountId": strings.Split(s.String("arn"), ":")[4], "keySpec": s["customerMasterKeySpec"],
		"enabled":    s["isEnabled"],
		"keyManager": "CUSTOMER", "keyState": state, "origin": "AWS_KMS", "grantTokens": args.GrantTokens,
		"multiRegionConfigurations": []any{}, "xksKeyConfigurations": []any{}})
}

// Functions returns the functions that look up keys.
func Functions() []*aws.Function {
	return []*aws.Function{
		aws.NewFunction("aws:kms/getKey:getKey", getKey),
	}
}
