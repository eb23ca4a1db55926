module cloud.google.com/go/iam

go 1.26

require github.com/googleapis/gax-go/v2 v2.19.0
