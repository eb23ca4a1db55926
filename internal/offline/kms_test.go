package offline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestAKeyIsFoundByItsIDItsARNAndItsAlias(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, key := e.create(awstype.KMSKey, props.Map{"enableKeyRotation": true})
	require.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, id)
	require.Equal(t, "arn:aws:kms:us-east-1:123456789012:key/"+id, key["arn"])
	_, alias := e.create(awstype.KMSAlias, props.Map{"name": "alias/etcd", "targetKeyId": id})
	require.Equal(t, "arn:aws:kms:us-east-1:123456789012:alias/etcd", alias["arn"])
	require.Equal(t, key["arn"], alias["targetKeyArn"])
	for _, name := range []string{id, key.String("arn"), "alias/etcd"} {
		found, err := e.invoke("aws:kms/getKey:getKey", props.Map{"keyId": name})
		require.NoError(t, err)
		require.Equal(t, key["arn"], found["arn"])
	}
	_, err := e.invoke("aws:kms/getKey:getKey", props.Map{
		"keyId": "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
	})
	require.ErrorContains(t, err, "is not a valid KMS Key ARN", "the provider takes a UUID of version 1 to 5 alone")
	require.NoError(t, e.delete(awstype.KMSKey, id))
	found, _, _ := e.read(awstype.KMSAlias, "alias/etcd", nil)
	require.Empty(t, found, "an alias is deleted with its key")
}

func TestAnotherAccountsKeyIsFoundWhereItsPolicyAdmitsThisOne(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	at := func(account string) *engine {
		return attach(t, server, props.Map{"region": "us-east-1", "allowedAccountIds": `["` + account + `"]`})
	}
	statement := `{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::%s:root"},"Action":"kms:*","Resource":"*"}`
	policy := fmt.Sprintf(`{"Version":"2012-10-17","Statement":[`+statement+`,`+statement+`]}`, "111111111111", "222222222222")
	_, key := at("111111111111").create(awstype.KMSKey, props.Map{"policy": policy})
	_, err := at("222222222222").invoke("aws:kms/getKey:getKey", props.Map{"keyId": key["arn"]})
	require.NoError(t, err)
	_, err = at("333333333333").invoke("aws:kms/getKey:getKey", props.Map{"keyId": key["arn"]})
	require.ErrorContains(t, err, "NotFoundException")
}

func TestKMSRefuses(t *testing.T) {
	t.Parallel()
	e := start(t)
	key := e.id(awstype.KMSKey, props.Map{})
	e.id(awstype.KMSAlias, props.Map{"name": "alias/taken", "targetKeyId": key})
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"an alias twice", awstype.KMSAlias, props.Map{"name": "alias/taken", "targetKeyId": key}, "AlreadyExistsException"},
		{"an alias of no key", awstype.KMSAlias, props.Map{"name": "alias/x", "targetKeyId": "none"}, "NotFoundException"},
		{"a policy that locks everyone out", awstype.KMSKey, props.Map{"policy": `{"Version":"2012-10-17","Statement":[{"Effect":"Allow",` +
			`"Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"kms:Encrypt","Resource":"*"}]}`}, "MalformedPolicyDocumentException"},
		{"a policy without a principal", awstype.KMSKey, props.Map{"policy": policyText}, "MalformedPolicyDocumentException"},
		{"a short deletion window", awstype.KMSKey, props.Map{"deletionWindowInDays": 6.0}, "ValidationException"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	for _, name := range []string{"etcd", "alias/aws/ebs", "alias/a b"} {
		_, failures := e.check(awstype.KMSAlias, props.Map{"name": name, "targetKeyId": key})
		require.NotEmpty(t, failures, name)
	}
}
