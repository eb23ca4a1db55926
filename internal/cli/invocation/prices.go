package invocation

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/price"
)

// AddPrices adds the flag for a file of prices.
func (c *Invocation) AddPrices(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.pricesFile, "prices", "", "a `file` of prices, which override those in this program (see hypershift-aws prices)")
}

// Prices returns the program's prices, overridden by those of --prices.
func (c *Invocation) Prices() (price.Table, error) {
	table, err := price.Effective(c.pricesFile)
	if err != nil && c.pricesFile != "" {
		err = Refuse("--prices: %w", err)
	}
	return table, err
}
