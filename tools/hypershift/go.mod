// What make conformance compiles inside a checkout of HyperShift, with its packages and its vendor folder: see docs/appendix/conformance.md.
module github.com/hypershift-aws/hypershift-aws/tools/hypershift

go 1.26.0
