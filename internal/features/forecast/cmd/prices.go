package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func pricesCommand(c *invocation.Invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "prices",
		GroupID: invocation.Reference,
		Short:   "List the prices that cost estimates use",
		Long: `Lists the prices that previews and pictures use for cost estimates: list prices in US dollars before taxes and discounts, each with its
unit, source, and date. A price for region aws applies to all regions of the partition aws. A price that the table lacks is reported as
unknown, and never counted as zero.`,
		Example: `  hypershift-aws prices
  hypershift-aws prices --prices prices.json`,
		RunE: func(*cobra.Command, []string) error { return listPrices(c) },
	}
	c.AddPrices(cmd)
	cmd.AddCommand(pricesUpdateCommand(c))
	return cmd
}

func listPrices(c *invocation.Invocation) error {
	table, err := price.Effective(c.PricesFile)
	if err != nil && c.PricesFile != "" {
		return invocation.Refuse("--prices: %w", err)
	}
	if err != nil {
		return err
	}
	return invocation.List(c, "price", "REGION\tKEY\tUSD\tPER\tDATE\tSOURCE", table.Prices(),
		func(p forecast.Price) []any {
			return []any{p.Region, p.Key, p.USD, p.Unit, p.Date, p.Source}
		})
}

func pricesUpdateCommand(c *invocation.Invocation) *cobra.Command {
	var update price.Update
	var file string
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Write a file of prices that AWS publishes",
		Long: `Reads the offer files that AWS publishes, region by region, and writes the prices that stacks need to a file for --prices. The offer
file of EC2 has several hundred megabytes per region; it is read as a stream and not stored. Prices of regions that are not in --region
stay in the file.`,
		Example: `  hypershift-aws prices update --region us-east-1 -f prices.json`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return updatePrices(cmd.Context(), c, update, file) },
	}
	cmd.Flags().StringArrayVar(&update.Regions, "region", nil,
		"a `region` to read, such as us-east-1; repeatable, required")
	cmd.Flags().StringArrayVar(&update.InstanceTypes, "instance-type", []string{"t3.micro"},
		"a `type` of instances to price; repeatable (the bastion's is t3.micro)")
	cmd.Flags().StringVar(&update.BaseURL, "from", price.OffersURL, "the `URL` of the offer files")
	cmd.Flags().StringVarP(&file, "file", "f", "prices.json", "the `file` to write")
	invocation.RegionFlags(cmd, "region")
	return cmd
}

func updatePrices(ctx context.Context, c *invocation.Invocation, update price.Update, file string) error {
	if len(update.Regions) == 0 {
		return invocation.Refuse("set the regions to read with --region, such as --region us-east-1")
	}
	update.Log = func(url string) { c.Say("reading %s", url) }
	found, err := update.Run(ctx)
	if len(found.Prices()) == 0 {
		return err
	}
	before, loadErr := price.LoadIfThere(file)
	if loadErr != nil {
		return loadErr
	}
	if writeErr := before.With(found).WriteFile(file); writeErr != nil {
		return writeErr
	}
	c.Say("%s written to %s; use them with --prices %s", report.Number(len(found.Prices()), "price"), file, file)
	return err
}
