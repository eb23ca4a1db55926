// The version 7 of pulumi-aws with which awsv7_test.go compiles the components. The module of this repository has v6.
module github.com/hypershift-aws/hypershift-aws/test/awsv7

go 1.23.0

require github.com/pulumi/pulumi-aws/sdk/v7 v7.0.0
