package forecast

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/price"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// OthersCharge is a charge for resources that operators create for a stack: the machines of a hosted cluster's node pools, or those of
// CAPA and its load balancer.
type OthersCharge struct {
	// What is the thing and who creates it: "HyperShift's node pool workers".
	What string `json:"what"`
	price.Group
}

// text returns the charge as text, with the price and its source.
func (o OthersCharge) text() string {
	text := fmt.Sprintf("%g x %s, %s: ", o.Quantity, o.Key.Label(), o.What)
	if o.Price == nil {
		return text + "price unknown in " + o.Region
	}
	return text + fmt.Sprintf("%.2f USD/month at %g USD per %s (%s, %s, %s)", o.Monthly, o.Price.USD, o.Price.Unit, o.Region, o.Price.Date, o.Price.Source)
}

// othersCharges returns the charges for what operators create for a stack with the resources.
func othersCharges(prices price.Table, file *config.File, resources []apitype.ResourceV3) []OthersCharge {
	if file == nil {
		return nil
	}
	charges := kind.Of(file.Kind).Charges
	if charges == nil {
		return nil
	}
	var list []OthersCharge
	for _, c := range charges(file.Section, file.Region, resources) {
		if c.Quantity > 0 {
			list = append(list, OthersCharge{c.What, prices.Fixed(c.Key, file.Region, float64(c.Quantity))})
		}
	}
	return list
}
