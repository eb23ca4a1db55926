// Package picture draws a stack's AWS resources the way AWS's VPC resource map does: accounts, the VPC, subnets by zone, route
// tables, gateways and endpoints, PrivateLink, hosted zones, roles and who assumes them. The page is one HTML file without
// anything loaded from elsewhere; the same drawing is an SVG file, and a Mermaid graph for Markdown.
//
// The layout is arithmetic over the resources, so that the same resources give the same bytes. Only names, IDs, addresses and
// kinds are drawn: no policies and no values that could be secret.
package picture
