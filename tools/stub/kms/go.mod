module cloud.google.com/go/kms

go 1.26
