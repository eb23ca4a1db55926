package forecasting

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/price"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// chargeText returns the charge as text, with the price and its source.
func chargeText(o forecast.OthersCharge) string {
	text := fmt.Sprintf("%g x %s, %s: ", o.Quantity, price.Label(o.Key), o.What)
	if o.Price == nil {
		return text + "price unknown in " + o.Region
	}
	return text + fmt.Sprintf("%.2f USD/month at %g USD per %s (%s, %s, %s)", o.Monthly, o.Price.USD, o.Price.Unit, o.Region, o.Price.Date, o.Price.Source)
}

// othersCharges returns the charges for what operators create for a stack with the resources.
func othersCharges(prices price.Table, file *config.File, resources []apitype.ResourceV3) []forecast.OthersCharge {
	if file == nil {
		return nil
	}
	charges := kind.Of(file.Kind).Charges
	if charges == nil {
		return nil
	}
	var list []forecast.OthersCharge
	for _, c := range charges(file.Section, file.Region, resources) {
		if c.Quantity > 0 {
			list = append(list, forecast.OthersCharge{What: c.What, Charges: prices.Fixed(c.Key, file.Region, float64(c.Quantity))})
		}
	}
	return list
}
