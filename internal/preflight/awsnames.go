package preflight

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/hypershift-aws/hypershift-aws/internal/account"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Taken implements Account.
func (a *realAccount) Taken(ctx context.Context, n Name) (Holder, error) {
	switch n.Token {
	case awstype.Bucket:
		return a.bucketHolder(ctx, n.Name)
	case awstype.HostedZone:
		return a.zoneHolder(ctx, n)
	case awstype.OIDCProvider:
		issuers, err := a.issuers(ctx)
		return ownIf(slices.ContainsFunc(issuers, func(arn string) bool { return strings.HasSuffix(arn, ":oidc-provider/"+n.Name) })), err
	case OIDCDocuments:
		return a.documentsHolder(ctx, n.Name)
	case awstype.KMSAlias:
		return a.aliasHolder(ctx, n.Name)
	}
	return a.inIAM(ctx, n)
}

func ownIf(taken bool) Holder {
	if taken {
		return Own
	}
	return Nobody
}

// bucketHolder looks up a bucket: bucket names are unique in all accounts of a partition.
func (a *realAccount) bucketHolder(ctx context.Context, name string) (Holder, error) {
	client, err := a.s3(ctx)
	if err != nil {
		return Nobody, err
	}
	_, err = client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &name})
	var answer *awshttp.ResponseError
	if err == nil {
		return Own, nil
	}
	if !errors.As(err, &answer) {
		return Nobody, err
	}
	switch answer.HTTPStatusCode() {
	case http.StatusNotFound:
		return Nobody, nil
	case http.StatusMovedPermanently:
		return Elsewhere, nil
	case http.StatusForbidden:
		return Hidden, nil
	}
	return Nobody, err
}

// documentsHolder reports whether the OIDC bucket has the documents of an issuer, "<bucket>.s3.<region>.amazonaws.com/<infra ID>". Without
// s3:ListBucket AWS answers as if the caller may not read them, also if there are none.
func (a *realAccount) documentsHolder(ctx context.Context, issuer string) (Holder, error) {
	host, infraID, _ := strings.Cut(issuer, "/")
	at := bucketHost.FindStringSubmatch(host)
	client, err := a.s3(ctx)
	if err != nil || at == nil {
		return Nobody, err
	}
	key := infraID + "/.well-known/openid-configuration"
	_, err = client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &at[1], Key: &key}, func(o *s3.Options) { o.Region = at[2] })
	var answer *awshttp.ResponseError
	if errors.As(err, &answer) && answer.HTTPStatusCode() == http.StatusNotFound {
		return Nobody, nil
	}
	return ownIf(err == nil), err
}

func (a *realAccount) aliasHolder(ctx context.Context, name string) (Holder, error) {
	client, err := a.kms(ctx)
	if err != nil {
		return Nobody, err
	}
	pages := account.NewPages(client.ListAliases, &kms.ListAliasesInput{})
	found, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *kms.ListAliasesOutput) []kmstypes.AliasListEntry { return p.Aliases })
	return ownIf(slices.ContainsFunc(found, func(e kmstypes.AliasListEntry) bool { return aws.ToString(e.AliasName) == name })), err
}

// issuers returns the ARNs of the account's OIDC providers.
func (a *realAccount) issuers(ctx context.Context) ([]string, error) {
	client, err := a.iam(ctx)
	if err != nil {
		return nil, err
	}
	return a.lists.issuers.get(func() ([]string, error) {
		answer, err := client.ListOpenIDConnectProviders(ctx, &iam.ListOpenIDConnectProvidersInput{})
		if err != nil {
			return nil, err
		}
		var arns []string
		for _, provider := range answer.OpenIDConnectProviderList {
			arns = append(arns, aws.ToString(provider.Arn))
		}
		return arns, nil
	})
}

// inIAM looks up an IAM resource by its name.
func (a *realAccount) inIAM(ctx context.Context, n Name) (Holder, error) {
	client, err := a.iam(ctx)
	if err != nil {
		return Nobody, err
	}
	switch n.Token {
	case awstype.Role:
		_, err = client.GetRole(ctx, &iam.GetRoleInput{RoleName: &n.Name})
	case awstype.InstanceProfile:
		_, err = client.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: &n.Name})
	case awstype.User:
		_, err = client.GetUser(ctx, &iam.GetUserInput{UserName: &n.Name})
	case awstype.Policy:
		var who Identity
		if who, err = a.Identity(ctx); err == nil {
			policy := who.globalARN("iam", "policy"+n.Name)
			_, err = client.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: &policy})
		}
	default:
		return Nobody, fmt.Errorf("internal error: no lookup by name for type %s", n.Token)
	}
	switch {
	case err == nil:
		return Own, nil
	case code(err) == "NoSuchEntity":
		return Nobody, nil
	}
	return Nobody, err
}

// zonesNamed returns the account's hosted zones of a domain.
func (a *realAccount) zonesNamed(ctx context.Context, domain string) ([]route53types.HostedZone, error) {
	client, err := a.route53(ctx)
	if err != nil {
		return nil, err
	}
	in := &route53.ListHostedZonesByNameInput{DNSName: &domain}
	var found []route53types.HostedZone
	for {
		page, err := client.ListHostedZonesByName(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, zone := range page.HostedZones {
			if plain(aws.ToString(zone.Name)) != plain(domain) {
				return found, nil // the list is in the order of names
			}
			found = append(found, zone)
		}
		if !page.IsTruncated {
			return found, nil
		}
		in.DNSName, in.HostedZoneId = page.NextDNSName, page.NextHostedZoneId
	}
}

func isPrivate(zone route53types.HostedZone) bool {
	return zone.Config != nil && zone.Config.PrivateZone
}

// zoneHolder reports whether there is a public zone of a name or, for a private one, a private zone of the name in its VPC.
func (a *realAccount) zoneHolder(ctx context.Context, n Name) (Holder, error) {
	zones, err := a.zonesNamed(ctx, n.Name)
	if err != nil {
		return Nobody, err
	}
	client, err := a.route53(ctx)
	if err != nil {
		return Nobody, err
	}
	for _, zone := range zones {
		if isPrivate(zone) != n.Private {
			continue
		}
		if !n.Private {
			return Own, nil
		}
		detail, err := client.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: zone.Id})
		if err != nil {
			return Nobody, err
		}
		if slices.ContainsFunc(detail.VPCs, func(v route53types.VPC) bool { return aws.ToString(v.VPCId) == n.VPC }) {
			return Own, nil
		}
	}
	return Nobody, nil
}

// NameServers implements Account.
func (a *realAccount) NameServers(ctx context.Context, domain string) ([]string, error) {
	zones, err := a.zonesNamed(ctx, domain)
	if err != nil {
		return nil, err
	}
	client, err := a.route53(ctx)
	if err != nil {
		return nil, err
	}
	for _, zone := range zones {
		if isPrivate(zone) {
			continue
		}
		detail, err := client.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: zone.Id})
		if err != nil {
			return nil, err
		}
		if detail.DelegationSet != nil {
			return detail.DelegationSet.NameServers, nil
		}
	}
	return nil, nil
}

// code returns AWS's code of an error, or "" for others.
func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}
