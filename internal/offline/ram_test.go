package offline

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestSharesAndTagsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	share := e.id(awstype.ResourceShare, props.Map{"name": "subnets"})
	_, _, err := e.try(awstype.ResourceAssociation, props.Map{"resourceShareArn": share,
		"resourceArn": "arn:aws:ec2:us-east-1:123456789012:subnet/subnet-0123456789abcdef0"}, false)
	refused(t, err, "UnknownResourceException")
	for _, principal := range []string{"123456789012", "somebody"} {
		_, _, err = e.try(awstype.PrincipalAssociation, props.Map{"resourceShareArn": share, "principal": principal}, false)
		refused(t, err, "InvalidParameterException")
	}
	for id, code := range map[string]string{
		"subnet-0123456789abcdef0": "InvalidSubnetID.NotFound",
		"nothing":                  "InvalidID",
	} {
		_, _, err = e.try(awstype.Tag, props.Map{"resourceId": id, "key": "a", "value": "b"}, false)
		refused(t, err, code)
	}
}
