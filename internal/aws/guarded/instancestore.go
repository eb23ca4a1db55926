package guarded

import (
	"fmt"
	"regexp"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// instanceStore matches the instance types with an instance store: those whose family has the attribute d, and families
// that have one without it.
// https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
var instanceStore = regexp.MustCompile(`^([a-z]+[0-9]+[a-z]*d[a-z]*|(i[0-9]|im|is|d[23]|h1|f[12]|x1|z1d|p[56]|g[46]|gr6|trn|dl1|m[123]|c[13]|r3|hs1|cc2)[a-z0-9]*|g5)(-[a-z0-9]+)*\.`)

// HasInstanceStore reports whether instances of a type have an instance store, whose data ends with the instance.
func HasInstanceStore(instanceType string) bool { return instanceStore.MatchString(instanceType) }

// storeLosses finds the data that ends if all nodes of a NodePool are paused at once: that of their instance stores.
// Volumes of EBS stay. A rolling replacement leaves time to copy such data, as storage in several nodes does.
func storeLosses(before, after map[string]any) []awstype.Loss {
	since := func(inputs map[string]any) string {
		return props.Map(inputs).Object("metadata").String("annotations", hypershift.PausedSinceAnnotation)
	}
	instanceType := props.Map(before).Object("spec").String("platform", "aws", "instanceType")
	if since(before) != "" || since(after) == "" || !HasInstanceStore(instanceType) {
		return nil
	}
	return []awstype.Loss{{
		Input: "metadata.annotations",
		What: fmt.Sprintf("all its nodes end at once, and with them the data in their instance stores, which %s has",
			instanceType),
		Remedy: "allow the change if no volume of the cluster is on the nodes' own disks, as those of the Local Storage Operator " +
			"are; or leave nodesPausedSince out",
	}}
}
