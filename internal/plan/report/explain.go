package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Explain returns a message of the engine, a provider, AWS or an API server in this program's words: what failed, why,
// and what to do. The second result is false for a message that it does not know, such as this program's own; the first
// is then the message itself.
func Explain(message string) (string, bool) {
	text := strings.Join(strings.Fields(unwrapped(message)), " ")
	for _, explained := range []func(string) (string, bool){explainedBy(unanswered), answerOfAWS,
		explainedBy(explanations), plainAnswerOfAWS} {
		if words, known := explained(text); known {
			return words, true
		}
	}
	return message, false
}

// explainedBy explains a text by the first of the rules that matches it.
func explainedBy(rules []explanation) func(string) (string, bool) {
	return func(text string) (string, bool) {
		for _, rule := range rules {
			if match := rule.raw().FindStringSubmatchIndex(text); match != nil {
				words := string(rule.raw().ExpandString(nil, rule.words, text, match))
				return withSubject(text[:match[0]], words) + "; " + rule.remedy, true
			}
		}
		return "", false
	}
}

// answerOfAWS explains an error of the AWS SDK by the code in AWS's answer. The words of that answer are AWS's, and no
// other rule applies to them.
func answerOfAWS(text string) (string, bool) {
	m := awsError().FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	call, code, cause := m[1], cmp.Or(m[2], m[4]), strings.TrimRight(cmp.Or(m[3], m[5]), ". ")
	if cause == code {
		cause = ""
	} else if cause != "" {
		cause = ": " + cause
	}
	doing, _, _ := strings.Cut(text, m[0])
	words := withSubject(doing, "AWS refused "+call+" ("+code+")"+cause)
	if strings.Contains(cause, existingRemedy) {
		return words, true
	}
	remedy, _ := awsRemedy(code)
	return words + "; " + remedy, true
}

// plainAnswerOfAWS explains a code of AWS with a known remedy that the provider wrote without the SDK's words.
func plainAnswerOfAWS(text string) (string, bool) {
	if m := plainError().FindStringSubmatch(text); m != nil && !strings.Contains(text,
		"; ") && !strings.Contains(text, ".yaml:") {
		if remedy, known := awsRemedy(m[2]); known {
			return withSubject(m[1], "AWS refused it ("+m[2]+"): "+strings.TrimRight(m[3], ". ")) + "; " + remedy, true
		}
	}
	return "", false
}

// withSubject puts what the provider was doing, "creating EC2 VPC", before what happened.
func withSubject(doing, words string) string {
	doing = strings.TrimRight(strings.TrimSpace(doing), ": ")
	if doing == "" || strings.Contains(doing, "error") {
		return words
	}
	return doing + ": " + words
}

// bridge matches what the engine, its bridge to a provider, and Terraform put before and after a message.
var bridge = lazily(`^(\s*(sdk-v2/provider2?\.go:\d+: sdk\.helper_schema: |rpc error: code = \w+ desc = |invocation of \S+ returned an error: |` +
	`invoking \S+: |(\d+ errors? occurred:\s*)?\* ))+|(: provider=\S+@\S+)\s*$`)

func unwrapped(message string) string {
	return strings.TrimSpace(bridge().ReplaceAllString(strings.TrimSpace(message), ""))
}

// awsError matches an error of the AWS SDK: the call, then the code and AWS's message; the SDK leaves the words "api
// error" out for the codes of which it has a type.
var awsError = lazily(`operation error [\w .-]+: (\w+), (?:exceeded maximum number of attempts, \d+, )?` +
	`https response error StatusCode: \d+, RequestID: ?[\w=+/-]*,(?: HostID: ?\S*,)? (?:api error (\w[\w.]*): (.*)|(\w[\w.]*):? ?(.*))$`)

// plainError matches an error of AWS without the SDK's words: what the provider was doing, the code and AWS's message.
var plainError = lazily(`^(.*?)\b([A-Z]\w*[a-z]\w*(?:\.\w+)?): (.+)$`)

// awsRemedies are what to do about codes of AWS, by the end of the code's name or the whole of it.
var awsRemedies = []struct {
	codes  []string
	remedy string
}{
	{[]string{"ExpiredToken", "ExpiredTokenException", "RequestExpired", "InvalidClientTokenId",
		"UnrecognizedClientException", "AuthFailure", "SignatureDoesNotMatch"},
		"renew the AWS credentials, check the computer's clock, and run the same command again"},
	{[]string{"UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "AuthorizationError", "AccessDeniedFault"},
		"allow the caller this action: `hypershift-aws permissions` lists all that the stack needs"},
	{[]string{"OptInRequired"}, "enable the region or the service in the account"},
	{[]string{"Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException", "SlowDown",
		"PriorRequestNotComplete"},
		"run the same command again in some minutes, with fewer stacks of the account at once if it happens again: it continues where it stopped"},
	{[]string{"TagLimitExceeded"}, "use fewer tags: those of the stack's section, of aws:defaultTags, and the stack's own count together"},
	{[]string{"LimitExceeded", "LimitExceededException", "QuotaExceeded", "LimitExceededFault"},
		"request a higher quota in Service Quotas, or use other regions or accounts: `hypershift-aws preflight` compares all quotas before an update"},
	{[]string{"DependencyViolation", "DeleteConflict", "ResourceInUse", "ResourceInUseException", "HostedZoneNotEmpty",
		"BucketNotEmpty", "InvalidIPAddress.InUse"},
		"another resource uses it, which the stack may not know: `hypershift-aws sweep` lists what a cluster's operators have left, " +
			"and what the state has lost"},
	{[]string{"InsufficientInstanceCapacity", "InsufficientHostCapacity"},
		"use another zone or instance type, or run the same command again later"},
	{[]string{"InternalError", "InternalFailure", "ServiceUnavailable", "Unavailable", "ServiceFailure"},
		"the error is on AWS's side: run the same command again, which continues where it stopped"},
	{[]string{"NotFound", "NoSuchEntity", "NoSuchBucket", "NotFoundException", "NoSuchHostedZone"},
		"it was deleted or belongs to another account or region: `hypershift-aws refresh` compares the state with AWS"},
	{[]string{"InvalidParameterValue", "InvalidParameter", "ValidationError", "ValidationException",
		"MalformedPolicyDocument", "InvalidInput"},
		"correct the value in the stack's file that AWS names"},
}

// awsRemedy returns what to do about a code of AWS; known is false for a code without a remedy of its own.
func awsRemedy(code string) (remedy string, known bool) {
	for _, exact := range []bool{true, false} {
		for _, remedy := range awsRemedies {
			if slices.ContainsFunc(remedy.codes, func(c string) bool {
				return code == c || !exact && strings.HasSuffix(strings.TrimSuffix(code, "Exception"), c)
			}) {
				return remedy.remedy, true
			}
		}
	}
	return "`hypershift-aws preflight` checks the account; --details shows AWS's whole answer", false
}

// explanation is a message in this program's words; $1 in words is the first group of raw.
type explanation struct {
	raw           func() *regexp.Regexp
	words, remedy string
}

// lazily compiles a pattern when it is first used: most runs of a command, such as a completion, explain nothing.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

const runAgain = "run the same command again, which continues where it stopped"

// unanswered are the messages with the AWS SDK's words in which no answer to the call is: the narrower ones first. They
// are looked for before the answers, because the engine writes what it could not do about the state, and the SDK how it
// looked for credentials, around such an answer.
var unanswered = []explanation{
	{lazily(`.*?failed to save snapshot: (?:.*https response error .*?HostID: ?\S*, (?:api error )?)?(.*)$`),
		"the engine cannot write the stack's state: $1",
		"check the state's backend: its address, credentials and free space; then " + runAgain},
	{lazily(`.*?(?:Get|Head) "?(https?://(?:[\w.-]+\.)?(?:pulumi\.com|github\.com|githubusercontent\.com))[^"]*"?: .*?` +
		`(no such host|connection refused|i/o timeout|network is unreachable|no route to host|TLS handshake timeout|EOF|connection reset by peer|context deadline exceeded).*$`),
		"$1, from which the engine downloads provider plugins, cannot be reached ($2)",
		"check the network and the proxy settings, or install the plugins into PULUMI_HOME beforehand, and " + runAgain},
	{lazily(`(?:operation error [\w .-]+: \w+, .*?)?(?:request send failed, )?(?:Get|Post|Put|Delete|Head) "?(https?://[^/" ]+)[^"]*"?: .*?` +
		`(no such host|connection refused|i/o timeout|network is unreachable|no route to host|TLS handshake timeout|EOF|connection reset by peer|context deadline exceeded).*$`),
		"$1 cannot be reached ($2)", "check the network, the proxy settings, and aws:region, aws:endpoints or kubeconfig, and " + runAgain},
	{lazily(`.*falling back to IMDSv1.*$`),
		"the instance metadata service of this machine did not answer with a token (IMDSv2), so the AWS SDK asks it without one (IMDSv1)",
		"if this runs in a container, set the hop limit of the instance's metadata options to 2; if it does not run on EC2, set AWS_EC2_METADATA_DISABLED=true"},
	{lazily(`.*failed to (?:refresh cached|retrieve) credentials.*operation error STS: (\w+), https response error StatusCode: \d+, RequestID: ?\S*, (?:api error )?(\w+): (.*)$`),
		"AWS gives no credentials: $1 is refused ($2): $3", "sign in again, correct aws:profile or aws:assumeRole, or correct the role's trust policy"},
	{lazily(`.*(?:no valid credential sources|No valid credential sources|failed to refresh cached credentials|no EC2 IMDS role found|NoCredentialProviders|failed to retrieve credentials).*$`),
		"there are no valid AWS credentials", "set aws:profile, or sign in with the AWS CLI, such as `aws sso login`, and run the same command again"},
}

// explanations are the messages of all others than AWS, the narrower ones first.
var explanations = []explanation{
	{lazily(`.*no resource plugin 'pulumi-resource-([\w-]+)' found in the workspace at version v([\w.+-]+).*$`),
		"the provider plugin $1 is not installed, and the engine may not download it; `pulumi plugin install resource $1 v$2` installs it into PULUMI_HOME",
		"install it, or unset PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"},
	{lazily(`.*(?:the SSO session has expired or is invalid|Error loading SSO Token|SSOProviderInvalidToken).*$`),
		"the AWS SSO session has expired", "run `aws sso login` for the profile, and run the same command again"},
	{lazily(`.*(?:pplying the server-side|server-side apply field conflict|Apply failed with \d+ conflicts?).*?conflicts? with "([^"]+)"[^:]*: ?-? ?(\.\S+).*$`),
		"$1 of the management cluster has set the field $2, and the API server does not let the stack change it",
		"put that value into the stack's file, or give the field the file's value with --take, as `hypershift-aws preview` and `adopt --preview` name it"},
	{lazily(`.*Operation cannot be fulfilled on (\S+) "([^"]+)": the object has been modified.*$`),
		"$1 $2 was changed by another client at the same time", runAgain},
	{lazily(`.*?admission webhook "([^"]+)" denied the request: (.*)$`),
		"the management cluster's webhook $1 refused it: $2", "correct the value in the stack's file that it names"},
	{lazily(`.*is forbidden: User "([^"]+)" cannot (\w+) resource "([^"]+)".*$`),
		"$1 may not $2 $3 in the management cluster", "grant it with a Role or ClusterRole, or use another kubeconfig: `hypershift-aws preflight` lists all that is missing"},
	{lazily(`.*?\.?(\S*): field not declared in schema.*$`),
		"the management cluster's CRD has no field $1", "upgrade the operator that installs the CRD: `hypershift-aws preflight` compares its version"},
	{lazily(`.*no matches for kind "([^"]+)" in version "([^"]+)".*$`),
		"the management cluster has no kind $1 of $2",
		"install the operator that brings it: `hypershift-aws preflight` says which"},
	{lazily(`.*(?:\bUnauthorized\b|the server has asked for the client to provide credentials).*$`),
		"the management cluster does not accept the kubeconfig's credentials",
		"sign in again, or set kubeconfig to a valid one"},
	{lazily(`.*x509: (certificate [^;]*).*$`),
		"the server's certificate is not accepted: $1", "check the certificate authority in the kubeconfig or the proxy, and the computer's clock"},
	{lazily(`.*(?:rpc error: code = (?:Unavailable|Canceled)|transport is closing|error reading from server: EOF|plugin .* exited unexpectedly).*$`),
		"the provider's process has ended", runAgain + "; if it happens again, check the free memory of this machine"},
	{lazily(`^(reading [A-Z][\w ./-]*(?: \([^)]*\))?): couldn't find resource$`),
		"$1: AWS does not list it (its lists lag for some seconds after a creation)", runAgain},
	{lazily(`.*the stack is currently locked by.*$`), "another update of the stack is running, or was killed", "wait for it, or run `hypershift-aws cancel`"},
}
