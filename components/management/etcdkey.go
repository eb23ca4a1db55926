package management

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/kms"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// EtcdKeyArgs describe a symmetric KMS key that encrypts the etcd of hosted clusters in the provider's region. AWS
// rotates it every year.
type EtcdKeyArgs struct {
	// Alias is the alias of the key, without "alias/". Required.
	Alias string `yaml:"alias" pulumi:"alias"`
	// Accounts are the IDs of the other accounts, 12 digits each, whose hosted clusters may use the key. Default none.
	Accounts []pulumi.StringInput `yaml:"accounts" pulumi:"accounts,optional"`
}

var aliasPattern = regexp.MustCompile(`^[A-Za-z0-9/_-]+$`)

// Validate returns every fault in args.
func (args EtcdKeyArgs) Validate() error {
	var faults fault.Faults
	switch {
	case args.Alias == "":
		faults.Add("alias", nil, "is missing", "set a name for the key, such as hypershift-etcd")
	case strings.HasPrefix(args.Alias, "alias/"):
		faults.Add("alias", args.Alias, "begins with alias/, which is added automatically", "use it without the prefix")
	case strings.HasPrefix(args.Alias, "aws/"):
		faults.Add("alias", args.Alias, "begins with aws/, which AWS reserves", "use another prefix")
	case len(args.Alias) > 250 || !aliasPattern.MatchString(args.Alias):
		faults.Add("alias", args.Alias, "is not an alias", "use at most 250 letters, digits, /, _, and -")
	}
	for i, account := range args.Accounts {
		faults.Join(fmt.Sprintf("accounts[%d]", i), input.IfPlain(account, awsid.ValidateAccount))
	}
	return faults.Err()
}

// deletionWindowDays is the waiting period before KMS deletes a key, in days; KMS's maximum.
const deletionWindowDays = 30

// etcdKey creates the key and its alias.
func (b *builder) etcdKey() error {
	args := b.args.EtcdKey
	if args == nil {
		return nil
	}
	accounts, err := input.CheckAll(args.Accounts, func(ids []string) error {
		var faults fault.Faults
		for i, id := range ids {
			faults.Join(fmt.Sprintf("etcdKey.accounts[%d]", i), awsid.ValidateAccount(id))
		}
		return faults.Err()
	})
	if err != nil {
		return err
	}
	key, err := kms.NewKey(b.ctx, b.child("etcd-key"), &kms.KeyArgs{
		Description:          pulumi.String("Encrypts the etcd of hosted clusters"),
		EnableKeyRotation:    pulumi.Bool(true),
		DeletionWindowInDays: pulumi.Int(deletionWindowDays),
		Policy: input.All(accounts).ApplyT(func(ids []string) string {
			return etcdKeyPolicy(b.place, ids).JSON()
		}).(pulumi.StringOutput),
		Tags: pulumi.ToStringMap(b.tags()),
	}, b.parent(), b.protect())
	if err != nil {
		return err
	}
	b.made.EtcdKeyARN = key.Arn
	_, err = kms.NewAlias(b.ctx, b.child("etcd-key"), &kms.AliasArgs{
		Name:        pulumi.String("alias/" + args.Alias),
		TargetKeyId: key.KeyId,
	}, b.parent())
	return err
}

// etcdKeyPolicy returns a policy that lets the IAM policies of the key's account give full control, and the other
// accounts' policies the use of the key. In a key's policy, "*" is the key.
func etcdKeyPolicy(in location.Location, accounts []string) policy.Document {
	own := policy.Allows([]string{"kms:*"}, everything)
	own.Principal = &policy.Principal{AWS: policy.Names{rootARN(in)}}
	document := policy.New(own)
	for _, account := range accounts {
		use := policy.Allows([]string{"kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*",
			"kms:DescribeKey"}, everything)
		use.Principal = &policy.Principal{AWS: policy.Names{rootARN(in.In(account))}}
		document.Statement = append(document.Statement, use)
	}
	return document
}

// rootARN returns the principal of an account; the account's own policies decide which of its identities it includes.
func rootARN(in location.Location) string { return in.GlobalARN("iam", "root") }
