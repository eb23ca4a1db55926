package forecast

// Charge is one charge of one resource.
type Charge struct {
	// URN identifies the resource.
	URN string `json:"urn"`
	// Name is the resource's name in the program, and ResourceType its token.
	Name         string `json:"name"`
	ResourceType string `json:"resourceType"`
	// Key is the charge, and Region where it is made.
	Key    PriceKey `json:"key"`
	Region string   `json:"region"`
	// Quantity is the number of units that are charged.
	Quantity float64 `json:"quantity"`
	// Price is the price of a unit, nil if it is unknown.
	Price *Price `json:"price,omitempty"`
	// Monthly is the fixed cost per month in USD, 0 for a rate by use or where the price is unknown.
	Monthly float64 `json:"monthlyUSD"`
	// Creator is the operator that creates the charged resources, such as "HyperShift's", and What names these resources,
	// such as "nodes". Both are "" if the stack's resource itself is charged.
	Creator string `json:"creator,omitempty"`
	What    string `json:"what,omitempty"`
}

// Cost is the cost of a set of resources by a table.
type Cost struct {
	// Monthly is the sum of the known fixed costs in USD per month of 730 hours.
	Monthly float64 `json:"monthlyUSD"`
	// Fixed are the charges for as long as the resource exists, ByUse the rates of charges that depend on use, and Unknown
	// the fixed charges without a price in the table.
	Fixed   []Charge `json:"fixed,omitempty"`
	ByUse   []Charge `json:"byUse,omitempty"`
	Unknown []Charge `json:"unknown,omitempty"`
	// Paused are the fixed charges of paused nodes from the time at which they are resumed. They are in no sum.
	Paused []Charge `json:"paused,omitempty"`
}

// CostChange is the effect of a plan on the fixed cost.
type CostChange struct {
	// Before is the fixed cost of what exists, and After that of what the plan leaves.
	Before Cost `json:"before"`
	After  Cost `json:"after"`
	// Monthly is the difference of the two, in USD per month.
	Monthly float64 `json:"differenceUSD"`
}

// PriceKey names a charge, such as "nat-gateway-hour"; it is the same in every region.
type PriceKey string

// Price is one list price.
type Price struct {
	// Key is the charge.
	Key PriceKey `json:"key"`
	// Region is AWS's name of the region, or "aws" for all regions of the partition aws where the price is the same.
	Region string `json:"region"`
	// USD is the price of one Unit in US dollars, before taxes and discounts.
	USD float64 `json:"usd"`
	// Unit is "hour", "GB", "month", "GB-month", or a number of requests.
	Unit string `json:"unit"`
	// Source is where the price was read, Date when (YYYY-MM-DD).
	Source string `json:"source"`
	Date   string `json:"date"`
}
