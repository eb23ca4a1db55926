module github.com/hypershift-aws/hypershift-aws/tools/stub/libopenapi

go 1.26

require go.yaml.in/yaml/v4 v4.0.0-rc.4
