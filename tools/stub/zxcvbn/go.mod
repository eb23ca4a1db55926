module github.com/hypershift-aws/hypershift-aws/tools/stub/zxcvbn

go 1.26
