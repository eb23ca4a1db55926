package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
)

// Restriction is something that an account forbids, or lacks, whoever calls.
type Restriction string

// The restrictions.
const (
	// PublicBuckets is S3's Block Public Access of the account, which refuses public policies of buckets.
	PublicBuckets Restriction = "public bucket policies"
	// InternetTraffic is VPC Block Public Access: block-bidirectional or block-ingress.
	InternetTraffic Restriction = "traffic with the internet"
	// Images is Allowed AMIs: whose images may start, "amazon, 111111111111".
	Images Restriction = "machine images"
	// VolumeKey is the customer's KMS key that encrypts new volumes by default.
	VolumeKey Restriction = "key of new volumes"
	// BalancerRole is the name of the service-linked role of load balancing, if the account lacks it.
	BalancerRole Restriction = "role of load balancing"
)

// balancerRole is the name of the service-linked role of Elastic Load Balancing.
const balancerRole = "AWSServiceRoleForElasticLoadBalancing"

// restrictionActions lists the IAM actions of Restricted.
func restrictionActions() []string {
	return []string{"s3:GetAccountPublicAccessBlock", "ec2:DescribeVpcBlockPublicAccessOptions",
		"ec2:GetAllowedImagesSettings", "ec2:GetEbsEncryptionByDefault", "ec2:GetEbsDefaultKmsKeyId"}
}

// Restricted implements Facts.
func (a *realAccount) Restricted(ctx context.Context, what Restriction) (string, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return "", err
	}
	switch what {
	case PublicBuckets:
		return a.blocksPublicBuckets(ctx, c)
	case InternetTraffic:
		out, err := c.ec2.DescribeVpcBlockPublicAccessOptions(ctx, &ec2.DescribeVpcBlockPublicAccessOptionsInput{})
		if err != nil || out.VpcBlockPublicAccessOptions == nil ||
			out.VpcBlockPublicAccessOptions.InternetGatewayBlockMode == ec2types.InternetGatewayBlockModeOff {
			return "", err
		}
		return string(out.VpcBlockPublicAccessOptions.InternetGatewayBlockMode), nil
	case Images:
		out, err := c.ec2.GetAllowedImagesSettings(ctx, &ec2.GetAllowedImagesSettingsInput{})
		if err != nil || aws.ToString(out.State) != "enabled" {
			return "", err
		}
		var owners []string
		for _, criterion := range out.ImageCriteria {
			owners = append(owners, criterion.ImageProviders...)
		}
		return strings.Join(append(owners, "with criteria"), ", "), nil
	case VolumeKey:
		encrypted, err := c.ec2.GetEbsEncryptionByDefault(ctx, &ec2.GetEbsEncryptionByDefaultInput{})
		if err != nil || !aws.ToBool(encrypted.EbsEncryptionByDefault) {
			return "", err
		}
		key, err := c.ec2.GetEbsDefaultKmsKeyId(ctx, &ec2.GetEbsDefaultKmsKeyIdInput{})
		if err != nil || aws.ToString(key.KmsKeyId) == "alias/aws/ebs" {
			return "", err
		}
		return aws.ToString(key.KmsKeyId), nil
	case BalancerRole:
		_, err := c.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: aws.String(balancerRole)})
		if gone(err) {
			return balancerRole, nil
		}
		return "", err
	}
	return "", fmt.Errorf("internal error: no restriction %q", what)
}

// emptyHash is the SHA-256 of an empty body.
var emptyHash = func() string {
	sum := sha256.Sum256(nil)
	return hex.EncodeToString(sum[:])
}()

// blocksPublicBuckets asks S3's control plane, of which the SDK has a module of its own with one call of use here.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_GetPublicAccessBlock.html
func (a *realAccount) blocksPublicBuckets(ctx context.Context, c *clients) (string, error) {
	cfg, err := a.load(ctx)
	if err != nil {
		return "", err
	}
	base := fmt.Sprintf("https://%s.s3-control.%s.%s", c.place.Account, c.place.Region, domainOf(c.place.Partition))
	var custom *string
	if a.settings.SetEndpoint("s3control", &custom); custom != nil {
		base = strings.TrimSuffix(*custom, "/")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v20180820/configuration/publicAccessBlock", nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("X-Amz-Account-Id", c.place.Account)
	request.Header.Set("X-Amz-Content-Sha256", emptyHash)
	credentials, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return "", err
	}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, request, emptyHash, "s3", c.place.Region, time.Now()); err != nil {
		return "", err
	}
	client := cfg.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		return "", err
	}
	var block struct {
		BlockPublicPolicy, RestrictPublicBuckets bool
		Code, Message                            string
		Error                                    struct{ Code, Message string }
	}
	_ = xml.Unmarshal(body, &block)
	code := block.Code + block.Error.Code
	switch {
	case code == "NoSuchPublicAccessBlockConfiguration":
		return "", nil
	case answer.StatusCode != http.StatusOK:
		return "", &itemError{code: code, message: block.Message + block.Error.Message}
	case block.BlockPublicPolicy:
		return "BlockPublicPolicy", nil
	case block.RestrictPublicBuckets:
		return "RestrictPublicBuckets", nil
	}
	return "", nil
}

// domainOf returns the domain of a partition's endpoints.
func domainOf(partition string) string {
	if partition == "aws-cn" {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}
