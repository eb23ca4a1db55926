// Package price says what AWS resources cost: a dated table of list prices by key and region, and the estimate of a set of
// resources by that table. Fixed prices, which are due for as long as a resource exists, are summed per month; rates by use
// are listed apart and never summed; a price that the table lacks is named as unknown, never counted as zero.
//
// The table in the binary holds only prices whose source is known. `hypershift-aws prices update` makes a table for any
// region from the offer files that AWS publishes.
package price
