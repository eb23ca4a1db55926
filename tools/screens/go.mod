module github.com/hypershift-aws/hypershift-aws/tools/screens

go 1.26

require (
	github.com/creack/pty v1.1.24
	github.com/hinshun/vt10x v0.0.0-20220301184237-5011da428d02
)
