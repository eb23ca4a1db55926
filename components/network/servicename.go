package network

import (
	"slices"
	"strings"
)

// serviceName is the name under which a region offers an AWS service inside a VPC.
func serviceName(region, service string) string {
	name := "com.amazonaws." + region + "." + service
	if strings.HasPrefix(region, "cn-") && slices.Contains(chineseServices(), service) {
		return "cn." + name
	}
	return name
}

// chineseServices are the services whose names begin with cn.com.amazonaws in China's regions; the others
// are named there as everywhere, S3's gateway endpoint among them. Source: `aws ec2
// describe-vpc-endpoint-services` in those regions.
func chineseServices() []string {
	return []string{
		"application-autoscaling", "athena", "autoscaling", "backup", "batch", "cassandra", "cloudformation", "ebs", "ec2",
		"ecr.api", "ecr.dkr", "eks", "elasticache", "elasticbeanstalk", "elasticfilesystem", "emr-containers", "execute-api",
		"fsx", "imagebuilder", "kinesis-streams", "lambda", "license-manager", "monitoring", "rds", "redshift", "redshift-data",
		"sagemaker.api", "sagemaker.runtime", "securityhub", "servicecatalog", "sqs", "states", "sts", "synthetics",
		"transcribestreaming", "transfer", "xray",
	}
}
