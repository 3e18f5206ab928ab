// Does the task of openapi-generator.system.test.ts with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"sort"
	"strings"

	crm "crmapi"
)

var name, pipeline = os.Getenv("NAME"), os.Getenv("PIPELINE_ID")
var ctx = context.Background()

func client(key string) *crm.APIClient {
	settings := crm.NewConfiguration()
	settings.Servers = crm.ServerConfigurations{{URL: os.Getenv("URL")}}
	settings.AddDefaultHeader("x-api-key", key)
	return crm.NewAPIClient(settings)
}

func must[T any](value T, _ *http.Response, err error) T {
	if err != nil {
		if refusal, ok := err.(*crm.GenericOpenAPIError); ok {
			log.Fatalf("%v %s", err, refusal.Body())
		}
		log.Fatal(err)
	}
	return value
}

func codeOf[T any](_ T, response *http.Response, err error) string {
	if refusal, ok := err.(*crm.GenericOpenAPIError); ok {
		if model, ok := refusal.Model().(crm.Error); ok {
			return fmt.Sprintf("%d %s", response.StatusCode, model.Code)
		}
	}
	return fmt.Sprint(err)
}

func body(title string) crm.CreateOpportunityBody {
	deal := crm.NewCreateOpportunityBodyOpportunity()
	deal.SetName(title)
	related := crm.NewCreateOpportunityBodyRelatedObjects()
	related.SetAccountDomain(name + ".example")
	made := crm.NewCreateOpportunityBody(*deal)
	made.SetPipelineId(pipeline)
	made.SetRelatedObjects(*related)
	return *made
}

func refused() crm.CreateOpportunityBody {
	made := body("refused")
	related := crm.NewCreateOpportunityBodyRelatedObjects()
	related.SetOwnerEmail("nobody@unknown.example")
	made.SetRelatedObjects(*related)
	return made
}

func condition(field string, operator crm.FilterOperator, value interface{}) crm.Filter {
	made := crm.NewFilterCondition(field, operator)
	made.SetValue(value)
	return crm.FilterConditionAsFilter(made)
}

func main() {
	api := client(os.Getenv("KEY"))
	deals, accounts := api.OpportunitiesAPI, api.AccountsAPI
	first := body(name + " 1")
	first.Opportunity.SetDealSize(1234567.89)
	date := int64(1798675200000)
	first.Opportunity.SetCloseDate(crm.CreateOpportunityBodyOpportunityCloseDate{Int64: &date})
	var statuses []string
	var id string
	for len(statuses) < 2 {
		created, response, err := deals.CreateOpportunity(ctx).CreateOpportunityBody(first).Execute()
		id = must(created, response, err).Data.OpportunityId
		statuses = append(statuses, response.Header.Get("X-Record-Status"))
	}
	items := []crm.CreateOpportunityBody{}
	for n := 2; n < 6; n++ {
		items = append(items, body(fmt.Sprintf("%s %d", name, n)))
	}
	many := crm.NewBulkCreateOpportunitiesBody(append(items, refused()))
	bulk := []bool{}
	for _, item := range must(deals.BulkCreateOpportunities(ctx).BulkCreateOpportunitiesBody(*many).Execute()).Data.Results {
		bulk = append(bulk, item.Success)
	}

	names := []string{}
	list := deals.ListOpportunities(ctx).PipelineId(pipeline).Limit(2).Fields([]string{"amount"})
	for {
		page := must(list.Execute()).Data
		for _, deal := range page.Opportunities {
			if strings.HasPrefix(deal.GetName(), name) {
				names = append(names, deal.GetName())
			}
		}
		if !page.HasMore {
			break
		}
		list = list.Cursor(*page.NextCursor.Get())
	}
	sort.Strings(names)

	own := condition("name", "starts_with", name)
	not := crm.FilterNotAsFilter(crm.NewFilterNot(own))
	or := crm.NewFilterOr([]crm.Filter{condition("amount", "gte", 1000000), not})
	and := crm.NewFilterAnd([]crm.Filter{own, crm.FilterOrAsFilter(or)})
	search := crm.NewSearchOpportunitiesBody()
	search.SetPipelineId(pipeline)
	search.SetFilters(crm.FilterAndAsFilter(and))
	search.SetSort([]crm.SortKey{*crm.NewSortKey("amount")})
	found := []string{}
	for _, deal := range must(deals.SearchOpportunities(ctx).SearchOpportunitiesBody(*search).Execute()).Data.Opportunities {
		found = append(found, deal.GetName())
	}
	deal := must(deals.GetOpportunity(ctx, id).Execute()).Data.Opportunity
	patch := crm.NewUpdateOpportunityBodyOpportunity()
	patch.SetNextStep("Call")
	patch.SetCloseDateNil()
	change := crm.NewUpdateOpportunityBody()
	change.SetOpportunity(*patch)
	update := deals.UpdateOpportunity(ctx, id).UpdateOpportunityBody(*change).IfMatch(fmt.Sprintf("\"%d\"", deal.GetVersion()))
	changed := must(update.Execute()).Data.Opportunity

	account := func(domain string) *crm.CreateAccountBody {
		made := crm.NewCreateAccountBody()
		made.SetDomain(domain + "." + name + ".example")
		return made
	}
	must(accounts.CreateAccount(ctx).CreateAccountBody(*account("one")).Execute())
	two := must(accounts.CreateAccount(ctx).CreateAccountBody(*account("two")).Execute()).Data
	taken := crm.NewUpdateAccountBody()
	taken.SetDomain("one." + name + ".example")
	slow := client(os.Getenv("SLOW_KEY")).PipelinesAPI
	listUntilRefused := func() (answer *crm.ListPipelinesEnvelope, response *http.Response, err error) {
		for call := 0; call < 5 && err == nil; call++ {
			answer, response, err = slow.ListPipelines(ctx).Execute()
		}
		return
	}
	codes := []string{
		codeOf(deals.CreateOpportunity(ctx).CreateOpportunityBody(refused()).Execute()),
		codeOf(deals.GetOpportunity(ctx, "00000000-0000-4000-8000-000000000000").Execute()),
		codeOf(accounts.UpdateAccount(ctx, two.CompanyId).UpdateAccountBody(*taken).Execute()),
		codeOf(update.Execute()),
		codeOf(listUntilRefused()),
	}
	events := must(api.EventsAPI.ListEvents(ctx).After("0").Limit(500).Execute()).Data.Events
	text, _ := json.Marshal(map[string]any{
		"statuses": statuses, "bulk": bulk, "names": names, "found": found,
		"amount": deal.Amount.Get(), "closeDate": deal.CloseDate.Get(),
		"changed": []any{changed.CloseDate.Get(), changed.NextStep.Get()},
		"codes":   codes, "event": events[len(events)-1].Type,
	})
	fmt.Println(string(text))
}
