package account

import (
	"context"
	"reflect"
)

// Pages reads a list that AWS returns page by page. It takes one method of a client instead of the client, as the SDK's
// paginators do: if a whole client is converted to an interface, the linker keeps every request of its service. EC2's
// requests alone are a sixth of this program.
type Pages[Input, Options, Output any] struct {
	request func(context.Context, *Input, ...func(*Options)) (*Output, error)
	input   *Input
	last    bool
}

// NewPages returns the pages of a request. It sets the input's tokens from page to page.
func NewPages[Input, Options, Output any](
	request func(context.Context, *Input, ...func(*Options)) (*Output, error), input *Input,
) *Pages[Input, Options, Output] {
	return &Pages[Input, Options, Output]{request: request, input: input}
}

// HasMorePages reports whether there is a page that NextPage has not returned.
func (p *Pages[Input, Options, Output]) HasMorePages() bool { return !p.last }

// NextPage requests the next page.
func (p *Pages[Input, Options, Output]) NextPage(ctx context.Context, options ...func(*Options)) (*Output, error) {
	page, err := p.request(ctx, p.input, options...)
	if err != nil {
		return nil, err
	}
	p.last = !next(reflect.ValueOf(page).Elem(), reflect.ValueOf(p.input).Elem())
	return page, nil
}

// tokens maps the fields of a response that name its next page to the fields of the next request. The first one that a
// response has counts, together with its group.
var tokens = [][][2]string{
	{{"NextToken", "NextToken"}},
	{{"PaginationToken", "PaginationToken"}},
	{{"NextContinuationToken", "ContinuationToken"}},
	{{"ContinuationToken", "ContinuationToken"}},
	{{"NextKeyMarker", "KeyMarker"}, {"NextVersionIdMarker", "VersionIdMarker"}},
	{{"NextRecordName", "StartRecordName"}, {"NextRecordType", "StartRecordType"},
		{"NextRecordIdentifier", "StartRecordIdentifier"}},
	{{"NextDNSName", "DNSName"}, {"NextHostedZoneId", "HostedZoneId"}},
	{{"NextMarker", "Marker"}},
	{{"Marker", "Marker"}},
}

// next copies the tokens of a page to the input, and reports whether there is another page.
func next(page, input reflect.Value) bool {
	for _, name := range []string{"IsTruncated", "Truncated"} {
		if truncated := reflect.Indirect(page.FieldByName(name)); truncated.IsValid() && !truncated.Bool() {
			return false
		}
	}
	for _, group := range tokens {
		if !page.FieldByName(group[0][0]).IsValid() {
			continue
		}
		for _, token := range group {
			input.FieldByName(token[1]).Set(page.FieldByName(token[0]))
		}
		first := reflect.Indirect(page.FieldByName(group[0][0]))
		return first.IsValid() && !first.IsZero()
	}
	return false
}

// eachPage reads all pages of a list.
func eachPage[Input, Options, Output any](
	ctx context.Context,
	pages *Pages[Input, Options, Output],
	do func(*Output),
) error {
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		do(page)
	}
	return nil
}
