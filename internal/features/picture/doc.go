// Package picture draws a stack's AWS resources the way AWS's VPC resource map does.
// needs: forecast, paths, policies
//
// It draws accounts, the VPC, subnets by zone, route tables, gateways and endpoints, PrivateLink, hosted zones, who
// assumes which role, and what its policies reach. The page is one HTML file that loads nothing; the same drawing is
// available as an SVG file, and as a Mermaid graph for Markdown.
//
// The layout depends only on the resources, so that the same resources give the same bytes. Only names, IDs, addresses
// and kinds are drawn, and the services and resources of policies: no policy documents and no values that could be
// secret.
package picture
