module cloud.google.com/go/logging

go 1.26

require google.golang.org/genproto v0.0.0-20260316180232-0b37fe3546d5
