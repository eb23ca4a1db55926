package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/kms"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

const (
	keyToken   = "aws:kms/key:Key"
	aliasToken = "aws:kms/alias:Alias"
)

func keyKinds() []*kind {
	return []*kind{
		{
			token: keyToken, args: kms.KeyArgs{}, state: kms.KeyState{},
			service: "KMS", noun: "Key", calls: calls{update: "UpdateKeyDescription", remove: "ScheduleKeyDeletion"},
			computed: []string{"deletionWindowInDays", "multiRegion", "policy", "rotationPeriodInDays"},
			defaults: props{"bypassPolicyLockoutSafetyCheck": false, "customerMasterKeySpec": "SYMMETRIC_DEFAULT",
				"description": "Managed by Pulumi", "enableKeyRotation": false, "isEnabled": true, "keyUsage": "ENCRYPT_DECRYPT"},
			fixed: props{"multiRegion": false},
			enums: map[string][]string{"keyUsage": {"ENCRYPT_DECRYPT", "GENERATE_VERIFY_MAC", "KEY_AGREEMENT", "SIGN_VERIFY"}},
			valid: map[string]func(string) string{"policy": jsonFault},
			forms: map[string]form{"policy": asDocument},
			replaces: []string{"customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion",
				"xksKeyId"},
			missing: answer{"NotFoundException", "Key '%s' does not exist"},
			rules:   []rule{deletionWindow, keyPolicyKeepsAWayIn},
			make:    makeKey,
		},
		{
			token: aliasToken, args: kms.AliasArgs{}, state: kms.AliasState{},
			service: "KMS", noun: "Alias",
			apart:    [][]string{{"name", "namePrefix"}},
			computed: []string{"name", "namePrefix"},
			valid:    map[string]func(string) string{"name": aliasFault},
			replaces: []string{"name", "namePrefix"},
			unique:   []string{"name"},
			refs:     []ref{{"targetKeyId", keyToken, "", part}},
			missing:  answer{"NotFoundException", "Alias %s is not found."},
			rules:    []rule{aliasFree},
			make: func(c *call) error {
				c.in()["namePrefix"] = cmp.Or(c.in().text("namePrefix"), "alias/")
				c.nameIt()
				c.in()["arn"] = c.arn("kms", c.rec.ID)
				return completeAlias(c)
			},
			change: completeAlias,
		},
	}
}

func makeKey(c *call) error {
	s := c.rec.State
	c.rec.ID = newUID()
	s["keyId"] = c.rec.ID
	s["arn"] = c.arn("kms", "key/"+c.rec.ID)
	if !s.has("policy") {
		s["policy"] = fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Sid":"Enable IAM User Permissions","Effect":"Allow",`+
			`"Principal":{"AWS":"%s"},"Action":"kms:*","Resource":"*"}]}`, c.globalARN("iam", "root"))
	}
	if s.yes("enableKeyRotation") && !s.has("rotationPeriodInDays") {
		s["rotationPeriodInDays"] = 365.0
	}
	return nil
}

func completeAlias(c *call) error {
	c.in()["targetKeyArn"] = c.find(keyToken, c.in().text("targetKeyId")).State.text("arn")
	return nil
}

var aliasGrammar = regexp.MustCompile(`^alias/[a-zA-Z0-9/_-]+$`)

// aliasFault holds a name against KMS's grammar.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateAlias.html
func aliasFault(name string) string {
	if !aliasGrammar.MatchString(name) || len(name) > 256 || strings.HasPrefix(name, "alias/aws/") {
		return fmt.Sprintf("%q must begin with alias/, not with alias/aws/, and be comprised of only [a-zA-Z0-9/_-]", name)
	}
	return ""
}

// deletionWindow: a key waits 7 to 30 days to be deleted.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html
func deletionWindow(c *call) error {
	if days := c.in().number("deletionWindowInDays"); c.in().has("deletionWindowInDays") && (days < 7 || days > 30) {
		return refuse("ValidationException", "PendingWindowInDays must be between 7 and 30")
	}
	return nil
}

// keyPolicyKeepsAWayIn: a key's policy lets someone change it.
// https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
func keyPolicyKeepsAWayIn(c *call) error {
	text := c.in().text("policy")
	if text == "" {
		return nil
	}
	if fault := policyFault(text); fault != "" {
		return refuse("MalformedPolicyDocumentException", "%s", fault)
	}
	for _, s := range statementsOf(text) {
		if s.Principal == nil {
			return refuse("MalformedPolicyDocumentException", "Policy contains a statement with no principal.")
		}
	}
	if c.in().yes("bypassPolicyLockoutSafetyCheck") || c.keyAdmits(text, c.account, "kms:PutKeyPolicy") {
		return nil
	}
	return refuse("MalformedPolicyDocumentException",
		"The new key policy will not allow you to update the key policy in the future.")
}

// keyAdmits says whether a key's policy lets an account do something, as far as that depends on the account alone.
func (s site) keyAdmits(text, account, action string) bool {
	document, err := policy.Parse(text)
	return err == nil && policy.Evaluate(policy.Request{
		Caller: policy.Caller{AWS: fmt.Sprintf("arn:%s:iam::%s:root", s.partition, account)}, Action: action, Partial: true,
	}, document) == policy.Allowed
}

// aliasFree: an alias is unique in an account and region.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateAlias.html
func aliasFree(c *call) error {
	if name := c.in().text("name"); c.was == nil && c.find(aliasToken, name) != nil {
		return refuse("AlreadyExistsException", "An alias with the name %s already exists", c.arn("kms", name))
	}
	return nil
}

// key is the key of that ID, alias or ARN, and with an ARN one of another account that admits this one. It is nil where
// there is none.
func (c *call) key(name string) *record {
	if arn := strings.SplitN(name, ":", 6); len(arn) == 6 {
		id := strings.TrimPrefix(arn[5], "key/")
		if rec := c.record(key{arn[3], keyToken, id}); rec != nil && rec.State.text("arn") == name {
			return rec
		}
		for _, path := range c.abroad(arn[3], keyToken, id) {
			rec, err := readRecord(path)
			if err == nil && rec.State.text("arn") == name && c.keyAdmits(rec.State.text("policy"), c.account, "kms:DescribeKey") {
				return rec
			}
		}
		return nil
	}
	if alias := c.find(aliasToken, name); alias != nil {
		name = alias.State.text("targetKeyId")
	}
	return c.find(keyToken, name)
}

func getKey(c *call, args kms.LookupKeyArgs) (*kms.LookupKeyResult, error) {
	rec := c.key(args.KeyId)
	if rec == nil {
		return nil, fmt.Errorf("reading KMS Key (%s): %w", args.KeyId, c.types.kinds[keyToken].missing.about(args.KeyId))
	}
	s := rec.State
	state := "Enabled"
	if !s.yes("isEnabled") {
		state = "Disabled"
	}
	return &kms.LookupKeyResult{Id: rec.ID, KeyId: args.KeyId, Arn: s.text("arn"),
		AwsAccountId:          strings.Split(s.text("arn"), ":")[4],
		CustomerMasterKeySpec: s.text("customerMasterKeySpec"), KeySpec: s.text("customerMasterKeySpec"),
		Description: s.text("description"), Enabled: s.yes("isEnabled"), KeyManager: "CUSTOMER", KeyState: state,
		KeyUsage: s.text("keyUsage"), Origin: "AWS_KMS", GrantTokens: args.GrantTokens,
		MultiRegionConfigurations: []kms.GetKeyMultiRegionConfiguration{},
		XksKeyConfigurations:      []kms.GetKeyXksKeyConfiguration{}}, nil
}

// keyFunctions are the functions that look up keys.
func keyFunctions() []*function {
	return []*function{
		answering("aws:kms/getKey:getKey", getKey),
	}
}
