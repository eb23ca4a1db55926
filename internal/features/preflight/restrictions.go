package preflight

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// restriction is a setting of an account, and what it does to a plan.
type restriction struct {
	what account.Restriction
	// meets reports whether a plan meets it in a place.
	meets func(Plan, inventory.Place) bool
	// judge returns what its value does.
	judge func(p Plan, in inventory.Place, value string) judgement
}

// judgement is what the value of a setting does to a plan.
type judgement struct {
	severity        finding.Severity
	problem, remedy string
}

// restrictions lists the settings of accounts that no permission shows: service control policies are in the check of
// permissions.
func restrictions() []restriction {
	return []restriction{
		{account.PublicBuckets, Plan.opensBucket, func(_ Plan, _ inventory.Place, value string) judgement {
			return judgement{finding.Error, "the account's Block Public Access has " + value + ", so that nobody reads the issuer's documents without credentials",
				"set oidcBucket.access: ThroughCloudFront, or ask who set it to allow it: aws s3control get-public-access-block"}
		}},
		{account.InternetTraffic, Plan.usesInternet, func(p Plan, _ inventory.Place, value string) judgement {
			const remedy = "ask who set VPC Block Public Access for an exclusion of the VPC: aws ec2 create-vpc-block-public-access-exclusion"
			if value != "block-ingress" {
				return judgement{finding.Error, "VPC Block Public Access is " + value + ": internet gateways carry nothing, so that nodes reach no image", remedy}
			}
			if p.Hosted != nil && !p.Hosted.Public {
				return judgement{finding.Passed,
					"VPC Block Public Access is " + value + ", which lets nodes out through NAT gateways", ""}
			}
			return judgement{finding.Warning, "VPC Block Public Access is " + value + ": nobody reaches load balancers in the VPC from the internet", remedy}
		}},
		{account.Images, Plan.startsNodes, func(_ Plan, _ inventory.Place, value string) judgement {
			return judgement{finding.Warning, "Allowed AMIs lets only images of " + value + " start",
				"let it allow the owner of OpenShift's images, or set ami of the node pools: aws ec2 get-allowed-images-settings"}
		}},
		{account.VolumeKey, Plan.startsNodes, func(_ Plan, place inventory.Place, value string) judgement {
			if owner := otherOwner(value, place); owner != "" {
				return judgement{finding.Warning, "new volumes are encrypted with " + value + notReadable(owner),
					askOwner(value, "the roles nodePoolManagement and storage", place) + ", or set rootVolume.kmsKeyARN"}
			}
			return judgement{finding.Warning,
				"new volumes are encrypted with " + value + ", whose policy decides who may use it", "let the key's policy allow the roles nodePoolManagement and storage " + volumeActions + ", or set rootVolume.kmsKeyARN"}
		}},
		{account.BalancerRole, Plan.getsBalancers, func(_ Plan, _ inventory.Place, value string) judgement {
			return judgement{finding.Warning, "the account has no role " + value + ", because it has had no load balancer yet: its first one fails if its creator may not create the role",
				"aws iam create-service-linked-role --aws-service-name elasticloadbalancing.amazonaws.com"}
		}},
	}
}

// volumeActions are the actions that EC2 needs of the caller who starts an instance with a volume that a customer's key
// encrypts. https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
const volumeActions = "kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:GenerateDataKeyWithoutPlaintext and kms:ReEncrypt*"

// otherOwner returns the account that has a key, "" if it is that of a place.
func otherOwner(key string, place inventory.Place) string {
	if parsed, err := arn.Parse(key); err == nil && parsed.AccountID != place.Account {
		return parsed.AccountID
	}
	return ""
}

func notReadable(owner string) string {
	return ", which account " + owner + " has: its policy decides who may use it, and cannot be read from here"
}

func askOwner(key, roles string, place inventory.Place) string {
	return "ask its owner whether the key's policy allows " + roles + " of account " + place.Account + " " + volumeActions +
		": aws kms get-key-policy --policy-name default --key-id " + key
}

// checkVolumeKeys names the keys of other accounts that encrypt the root volumes of new nodes. With a key that its
// policy does not let the role use, EC2 ends each instance at once with Client.InternalError.
func checkVolumeKeys(p Plan) []finding.Finding {
	var findings []finding.Finding
	pools := map[inventory.Place]map[string][]string{}
	for _, n := range p.Nodes {
		if n.Exist || otherOwner(n.VolumeKey, n.Place) == "" {
			continue
		}
		if pools[n.Place] == nil {
			pools[n.Place] = map[string][]string{}
		}
		pools[n.Place][n.VolumeKey] = append(pools[n.Place][n.VolumeKey], n.Name)
	}
	for place, keys := range pools {
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			findings = append(findings, finding.Finding{
				Check: Restrictions, Severity: finding.Warning, Account: place.Account, Region: place.Region,
				Subject: "key of root volumes",
				Problem: "the nodes of " + strings.Join(keys[key], ", ") + " have volumes encrypted with " + key +
					notReadable(otherOwner(key, place)),
				Remedy: askOwner(key, "the role nodePoolManagement", place),
			})
		}
	}
	return findings
}

// opensBucket reports whether the plan creates a bucket that everybody may read.
func (p Plan) opensBucket(place inventory.Place) bool {
	return p.creates(place, awstype.BucketPublicAccess, func(r Resource) bool {
		open, set := r.Inputs["blockPublicPolicy"].(bool)
		return set && !open
	})
}

// usesInternet reports whether the plan creates an internet gateway.
func (p Plan) usesInternet(place inventory.Place) bool {
	return p.creates(place, awstype.InternetGateway, func(Resource) bool { return true })
}

// startsNodes reports whether nodes start in a place later.
func (p Plan) startsNodes(place inventory.Place) bool {
	return slices.ContainsFunc(p.Nodes, func(n Nodes) bool { return n.Place == place && !n.Exist })
}

// getsBalancers reports whether operators create the load balancers of a new hosted cluster in a place.
func (p Plan) getsBalancers(place inventory.Place) bool {
	return p.Hosted != nil && (p.Hosted.Cluster == place || p.Hosted.Management == place)
}

func (p Plan) creates(place inventory.Place, token string, fits func(Resource) bool) bool {
	return slices.ContainsFunc(p.Resources, func(r Resource) bool {
		return r.Created && r.Type == token && r.Place == place && fits(r)
	})
}

// checkRestrictions checks what the settings of the accounts forbid.
func checkRestrictions(ctx context.Context, p Plan, accounts Accounts) []finding.Finding {
	places := p.places()
	if p.Hosted != nil && !slices.Contains(places, p.Hosted.Management) {
		places = append(places, p.Hosted.Management)
	}
	var tasks []func() []finding.Finding
	for _, place := range places {
		if in := accounts[place]; in != nil {
			tasks = append(tasks, func() []finding.Finding { return restrictionsIn(ctx, in, p, place) })
		}
	}
	return append(sideBySide(tasks), checkVolumeKeys(p)...)
}

// restrictionsIn checks the settings of an account that the plan meets: one finding for each that matters, or one that
// none does.
func restrictionsIn(ctx context.Context, in account.Account, p Plan, place inventory.Place) []finding.Finding {
	var tasks []func() []finding.Finding
	for _, one := range restrictions() {
		if !one.meets(p, place) {
			continue
		}
		tasks = append(tasks, func() []finding.Finding {
			f := finding.Finding{Check: Restrictions, Account: place.Account, Region: place.Region, Subject: string(one.what)}
			value, err := in.Restricted(ctx, one.what)
			switch {
			case err != nil:
				f = unchecked(f, err)
			case value == "":
				return nil
			default:
				j := one.judge(p, place, value)
				f.Severity, f.Problem, f.Remedy = j.severity, j.problem, j.remedy
			}
			return []finding.Finding{f}
		})
	}
	found := sideBySide(tasks)
	if len(tasks) > 0 && len(found) == 0 {
		return []finding.Finding{{
			Check: Restrictions, Severity: finding.Passed, Account: place.Account, Region: place.Region,
			Subject: "the account's settings", Problem: "they allow what the stack needs",
		}}
	}
	return found
}
