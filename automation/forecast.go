package automation

import (
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
)

// prices returns the prices of the project's options.
func (p *Project) prices() (price.Table, error) {
	prices, err := price.Effective(p.options.PricesFile)
	if err != nil {
		return prices, &failure.Error{Reason: failure.Refused, Problem: "--prices: " + err.Error(), Cause: err}
	}
	return prices, nil
}
