package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/features/picture"
)

// The limits of time and size for the page of a cluster in three zones, and for that of many clusters.
const (
	pageWithin, pageBelow   = 100 * time.Millisecond, 300_000
	fleetWithin, fleetBelow = 2 * time.Second, 5_000_000
	fleetOf                 = 1000
)

// pages compares the time for the page of a stack, after its state is read, and for the page of many stacks with their
// limits.
func (b *bench) pages() error {
	text, err := os.ReadFile(filepath.Join(b.root, "internal", "features", "picture", "testdata",
		"states", "public-and-private.json"))
	if err != nil {
		return err
	}
	var resources []apitype.ResourceV3
	if err := json.Unmarshal(text, &resources); err != nil {
		return err
	}
	prices, err := price.Builtin()
	if err != nil {
		return err
	}
	one := func() ([]byte, error) {
		cost := prices.Estimate(resources)
		return picture.HTML(picture.Input{Stack: "demo", Resources: resources, Cost: &cost})
	}
	many := func() ([]byte, error) {
		var members []picture.Member
		for i := range fleetOf {
			members = append(members, picture.NewMember(fmt.Sprintf("cluster-%04d", i), "cluster", resources, prices))
		}
		return picture.Fleet("", members)
	}
	for _, page := range []struct {
		what   string
		write  func() ([]byte, error)
		within time.Duration
		below  int
	}{
		{"the page of a cluster in three zones", one, pageWithin, pageBelow},
		{fmt.Sprintf("the page of %d clusters in three zones", fleetOf), many, fleetWithin, fleetBelow},
	} {
		var took time.Duration
		size := 0
		for round := range b.rounds {
			began := time.Now()
			written, err := page.write()
			if err != nil {
				return err
			}
			if since := time.Since(began); round == 0 || since < took {
				took = since
			}
			size = len(written)
		}
		b.add(page.what+": time / limit", fmt.Sprintf("%.3f s", took.Seconds()), fmt.Sprintf("%.1f s", page.within.Seconds()),
			ratio(took, page.within), 1)
		b.add(page.what+": size / limit", fmt.Sprintf("%d kB", size/1000), fmt.Sprintf("%d kB", page.below/1000),
			float64(size)/float64(page.below), 1)
	}
	return nil
}
