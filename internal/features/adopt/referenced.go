package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// KeyOf returns the ID of the KMS key that has an alias, "" if there is none.
func KeyOf(ctx context.Context, aws account.Account, alias string) (string, error) {
	aliases, err := aws.List(ctx, account.Query{Type: awstype.KMSAlias})
	if err != nil {
		return "", fmt.Errorf("looking up the key of %s: %w", alias, err)
	}
	for _, a := range aliases {
		if a.Text("name") == alias {
			return a.Text("targetKeyId"), nil
		}
	}
	return "", nil
}

// Referenced returns the matches for the distribution that a bucket's policy names, and for its origin access control,
// which is known only when the distribution has been read. It returns none for a bucket without such a policy. A second
// distribution would take the bucket from the first, whose issuer then has no documents.
func Referenced(ctx context.Context, aws account.Account, bucket string) map[string]Match {
	both := func(f Match) map[string]Match {
		return map[string]Match{awstype.Distribution: f, awstype.OriginAccessControl: f}
	}
	policies, err := aws.List(ctx, account.Query{Type: awstype.BucketPolicy, Inputs: map[string]any{"bucket": bucket}})
	if err != nil {
		return both(Match{Err: err})
	}
	for _, p := range policies {
		if p.Text("bucket") != bucket {
			continue
		}
		ids, err := distributionsOf(p.Text("policy"))
		switch {
		case err != nil:
			return both(Match{Err: err})
		case len(ids) == 0:
			return nil
		case len(ids) > 1:
			return both(Match{
				Refused: fmt.Sprintf("the policy of bucket %s names the distributions %s", bucket, strings.Join(ids, ", ")),
			})
		}
		found := both(Match{Refused: fmt.Sprintf("distribution %s, which the policy of bucket %s names, has no origin access control for it", ids[0], bucket)})
		found[awstype.Distribution] = Match{ID: ids[0]}
		return found
	}
	return nil
}

// distributionsOf returns the IDs of the CloudFront distributions that a bucket's policy allows to read it, in
// alphabetical order.
func distributionsOf(document string) ([]string, error) {
	parsed, err := policy.Parse(document)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, statement := range parsed.Statement {
		for _, keys := range statement.Condition {
			for key, values := range keys {
				for _, arn := range values {
					_, id, isDistribution := strings.Cut(arn, ":distribution/")
					if statement.Effect == policy.Allow && isDistribution && strings.EqualFold(key, "aws:SourceArn") {
						ids = append(ids, id)
					}
				}
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// AccessControlOf returns the ID of the origin access control that a distribution, by its properties, reads a bucket
// with; "" without one.
func AccessControlOf(distribution props.Map, bucket string) string {
	for _, origin := range distribution.Objects("origins") {
		if id := origin.String("originAccessControlId"); strings.HasPrefix(origin.String("domainName"), bucket+".s3.") &&
			id != "" {
			return id
		}
	}
	return ""
}
