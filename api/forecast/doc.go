// Package forecast defines what is estimated before a plan is carried out: how long it takes, what its resources cost,
// and which policies they violate. Costs are in USD per month of 730 hours.
package forecast
