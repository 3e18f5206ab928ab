"""Does the task of openapi-generator.system.test.ts with the client that openapi-generator makes for Python."""
import json, os
import crm_api as crm

url, name, pipeline = os.environ["URL"], os.environ["NAME"], os.environ["PIPELINE_ID"]

def client(key, **settings):
    return crm.ApiClient(crm.Configuration(host=url, api_key={"ApiKey": key}, **settings))

api = client(os.environ["KEY"])
deals, accounts = crm.OpportunitiesApi(api), crm.AccountsApi(api)

def body(title, **fields):
    deal = crm.CreateOpportunityBodyOpportunity(name=title, **fields)
    related = crm.CreateOpportunityBodyRelatedObjects(account_domain=f"{name}.example")
    return crm.CreateOpportunityBody(pipeline_id=pipeline, opportunity=deal, related_objects=related)

def refused():
    related = crm.CreateOpportunityBodyRelatedObjects(owner_email="nobody@unknown.example")
    deal = crm.CreateOpportunityBodyOpportunity(name="refused")
    return crm.CreateOpportunityBody(pipeline_id=pipeline, opportunity=deal, related_objects=related)

def code(call):
    try:
        call()
    except crm.ApiException as error:
        return f"{error.status} {error.data.code}"

def status_of(answer):
    return {header.lower(): value for header, value in answer.headers.items()}["x-record-status"]

first = body(f"{name} 1", deal_size=1234567.89, close_date=crm.CreateOpportunityBodyOpportunityCloseDate(1798675200000))
created, matched = [deals.create_opportunity_with_http_info(first) for _ in range(2)]
id = created.data.data.opportunity_id
bulk = deals.bulk_create_opportunities(
    crm.BulkCreateOpportunitiesBody(items=[*[body(f"{name} {n}") for n in range(2, 6)], refused()])
)

names, cursor = [], None
while True:
    page = deals.list_opportunities(pipeline_id=pipeline, limit=2, cursor=cursor, fields=["amount"]).data
    names += [deal.name for deal in page.opportunities if deal.name.startswith(name)]
    cursor = page.next_cursor
    if not page.has_more:
        break

def condition(field, operator, value):
    return crm.Filter(crm.FilterCondition(field=field, operator=operator, value=value))

own = condition("name", "starts_with", name)
either = crm.Filter(crm.FilterOr(var_or=[condition("amount", "gte", 1000000), crm.Filter(crm.FilterNot(var_not=own))]))
filters = crm.Filter(crm.FilterAnd(var_and=[own, either]))
search = crm.SearchOpportunitiesBody(pipeline_id=pipeline, filters=filters, sort=[crm.SortKey(field="amount")])
found = deals.search_opportunities(search).data.opportunities
deal = deals.get_opportunity(id).data.opportunity
change = crm.UpdateOpportunityBody(opportunity=crm.UpdateOpportunityBodyOpportunity(next_step="Call", close_date=None))
tag = f'"{deal.version}"'
changed = deals.update_opportunity(id, change, if_match=tag).data.opportunity

one, two = [accounts.create_account(crm.CreateAccountBody(domain=f"{n}.{name}.example")).data for n in ("one", "two")]
# By default, the client waits as long as Retry-After says, and repeats the request.
slow = crm.PipelinesApi(client(os.environ["SLOW_KEY"], retries=0))

def list_until_refused():
    for _ in range(5):
        slow.list_pipelines()

unknown = "00000000-0000-4000-8000-000000000000"
codes = [
    code(lambda: deals.create_opportunity(refused())),
    code(lambda: deals.get_opportunity(unknown)),
    code(lambda: accounts.update_account(two.company_id, crm.UpdateAccountBody(domain=f"one.{name}.example"))),
    code(lambda: deals.update_opportunity(id, change, if_match=tag)),
    code(list_until_refused),
]
events = crm.EventsApi(api).list_events(after="0", limit=500).data.events
print(json.dumps({
    "statuses": [status_of(created), status_of(matched)],
    "bulk": [item.success for item in bulk.data.results],
    "names": sorted(names),
    "found": [deal.name for deal in found],
    "amount": deal.amount,
    "closeDate": deal.close_date,
    "changed": [changed.close_date, changed.next_step],
    "codes": codes,
    "event": events[-1].type,
}))
