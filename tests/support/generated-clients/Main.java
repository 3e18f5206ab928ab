// Does the task of openapi-generator.system.test.ts with the client that openapi-generator makes for Java.
import com.fasterxml.jackson.databind.ObjectMapper;
import crm.api.*;
import crm.client.*;
import crm.model.*;
import java.util.*;
import java.util.stream.*;

public class Main {
  static final String NAME = System.getenv("NAME");
  static final String PIPELINE = System.getenv("PIPELINE_ID");

  interface Call {
    Object run() throws ApiException;
  }

  static ApiClient client(String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("URL"));
    client.setRequestInterceptor(request -> request.header("x-api-key", System.getenv(key)));
    return client;
  }

  static String code(Call call) throws Exception {
    try {
      return String.valueOf(call.run());
    } catch (ApiException error) {
      var body = ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), crm.model.Error.class);
      return error.getCode() + " " + body.getCode();
    }
  }

  static CreateOpportunityBody body(String title) {
    return new CreateOpportunityBody()
        .pipelineId(UUID.fromString(PIPELINE))
        .opportunity(new CreateOpportunityBodyOpportunity().name(title))
        .relatedObjects(new CreateOpportunityBodyRelatedObjects().accountDomain(NAME + ".example"));
  }

  static CreateOpportunityBody refused() {
    return body("refused")
        .relatedObjects(new CreateOpportunityBodyRelatedObjects().ownerEmail("nobody@unknown.example"));
  }

  static Filter condition(String field, FilterOperator operator, Object value) {
    return new Filter(new FilterCondition().field(field).operator(operator).value(value));
  }

  public static void main(String[] args) throws Exception {
    ApiClient api = client("KEY");
    var deals = new OpportunitiesApi(api);
    var accounts = new AccountsApi(api);
    var date = new CreateOpportunityBodyOpportunityCloseDate();
    date.setActualInstance(1798675200000L);
    var first = body(NAME + " 1");
    first.getOpportunity().dealSize(1234567.89).closeDate(date);
    var created = deals.createOpportunityWithHttpInfo(first, null, null, null);
    var matched = deals.createOpportunityWithHttpInfo(first, null, null, null);
    UUID id = created.getData().getData().getOpportunityId();
    var items = IntStream.range(2, 6).mapToObj(n -> body(NAME + " " + n)).collect(Collectors.toList());
    items.add(refused());
    var bulk = deals.bulkCreateOpportunities(new BulkCreateOpportunitiesBody().items(items), null, null, null, null);

    var names = new ArrayList<String>();
    String cursor = null;
    do {
      var page = deals.listOpportunities(PIPELINE, null, null, null, cursor, 2, List.of("amount"), null, null).getData();
      page.getOpportunities().stream().map(Opportunity::getName).filter(n -> n.startsWith(NAME)).forEach(names::add);
      cursor = page.getHasMore() ? page.getNextCursor() : null;
    } while (cursor != null);
    Collections.sort(names);

    var own = condition("name", FilterOperator.STARTS_WITH, NAME);
    var not = new Filter(new FilterNot().not(own));
    var or = new FilterOr().or(List.of(condition("amount", FilterOperator.GTE, 1000000), not));
    var and = new Filter(new FilterAnd().and(List.of(own, new Filter(or))));
    var search = new SearchOpportunitiesBody().pipelineId(UUID.fromString(PIPELINE)).filters(and)
        .sort(List.of(new SortKey().field("amount")));
    var found = deals.searchOpportunities(search, null, null).getData().getOpportunities();
    var deal = deals.getOpportunity(id, null, null, null, null, null).getData().getOpportunity();
    var change = new UpdateOpportunityBody()
        .opportunity(new UpdateOpportunityBodyOpportunity().nextStep("Call").closeDate(null));
    String tag = "\"" + deal.getVersion() + "\"";
    var changed = deals.updateOpportunity(id, change, null, tag).getData().getOpportunity();

    accounts.createAccount(new CreateAccountBody().domain("one." + NAME + ".example"), null, null, null);
    var two = accounts.createAccount(new CreateAccountBody().domain("two." + NAME + ".example"), null, null, null);
    var taken = new UpdateAccountBody().domain("one." + NAME + ".example");
    var slow = new PipelinesApi(client("SLOW_KEY"));
    Call listUntilRefused = () -> {
      for (int call = 1; call <= 5; call++) slow.listPipelines(null, null, null, null);
      return null;
    };
    var unknown = UUID.fromString("00000000-0000-4000-8000-000000000000");
    var codes = List.of(
        code(() -> deals.createOpportunity(refused(), null, null, null)),
        code(() -> deals.getOpportunity(unknown, null, null, null, null, null)),
        code(() -> accounts.updateAccount(two.getData().getCompanyId(), taken, null, null)),
        code(() -> deals.updateOpportunity(id, change, null, tag)),
        code(listUntilRefused));
    var events = new EventsApi(api).listEvents("0", null, 500, null, null, null, null, null, null, null).getData().getEvents();
    var facts = new LinkedHashMap<String, Object>();
    facts.put("statuses", Stream.of(created, matched).map(a -> a.getHeaders().get("x-record-status").get(0)).toList());
    facts.put("bulk", bulk.getData().getResults().stream().map(BulkResult::getSuccess).toList());
    facts.put("names", names);
    facts.put("found", found.stream().map(Opportunity::getName).toList());
    facts.put("amount", deal.getAmount());
    facts.put("closeDate", deal.getCloseDate());
    facts.put("changed", Arrays.asList(changed.getCloseDate(), changed.getNextStep()));
    facts.put("codes", codes);
    facts.put("event", events.get(events.size() - 1).getType());
    System.out.println(new ObjectMapper().writeValueAsString(facts));
  }
}
