// Package price estimates the cost of AWS resources: it has a dated table of list prices by key and region, and
// estimates a set of resources by that table. Fixed charges, which AWS bills for as long as a resource exists, are
// summed per month; rates by use are listed separately and never summed; a price that is not in the table is reported
// as unknown, never counted as zero.
//
// The table in the binary contains only prices with a known source. `hypershift-aws prices update` writes a table for
// any region from the offer files that AWS publishes.
package price
