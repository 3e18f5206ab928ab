// Only the compiler checks this file: the contract accepts every hand-written query of the client. The other types are generated.
import type * as contract from '@crm/contract';
import type * as client from '../src/index.js';

/** Compiles if `From` is assignable to `To`. */
type Fits<To, From extends To> = From;

/** In a query all values are text; arrays are repeated parameters. */
type OnTheWire<Q> = {
  [K in keyof Q]: K extends 'after' | 'limit' | 'wait' ? string : K extends 'fields' ? string[] : Q[K];
};

/** The contract does not type these two, because another part of the gateway parses them; the client does. */
type Loose<B> = Omit<B, 'filters' | 'sort'>;

/** Hand-written requests: from the client to the contract. */
export type Requests = [
  Fits<Loose<contract.SearchBody>, Loose<client.SearchBody>>,
  Fits<Loose<contract.SearchOpportunitiesBody>, Loose<client.SearchOpportunitiesBody>>,
  Fits<Loose<contract.SummaryBody>, Loose<client.SummaryBody>>,
  Fits<Loose<contract.SummarizeOpportunitiesBody>, Loose<client.SummarizeOpportunitiesBody>>,
  Fits<contract.QueryOf<typeof contract.listOpportunities>, OnTheWire<client.ListOpportunitiesQuery>>,
  Fits<contract.QueryOf<typeof contract.listAccounts>, OnTheWire<client.ListQuery>>,
  Fits<contract.QueryOf<typeof contract.listContacts>, OnTheWire<client.ListQuery>>,
  Fits<contract.QueryOf<typeof contract.listOpportunityFields>, OnTheWire<client.ListOpportunityFieldsQuery>>,
  Fits<contract.QueryOf<typeof contract.listNotes>, OnTheWire<client.ListNotesQuery>>,
  Fits<contract.QueryOf<typeof contract.deleteMember>, client.RemoveMemberQuery>,
  Fits<contract.QueryOf<typeof contract.listEvents>, OnTheWire<client.ListEventsQuery>>,
  Fits<contract.QueryOf<typeof contract.getAccount>, OnTheWire<client.FieldsQuery>>,
  Fits<keyof contract.QueryOf<typeof contract.listOpportunities>, keyof client.ListOpportunitiesQuery>,
  Fits<keyof contract.QueryOf<typeof contract.listAccounts>, keyof client.ListQuery>,
  Fits<keyof contract.QueryOf<typeof contract.listNotes>, keyof client.ListNotesQuery>,
];

/** Names of query parameters: the client has all those of the contract. */
export type QueryNames = [
  Fits<keyof client.ListOpportunitiesQuery | 'fields', keyof contract.QueryOf<typeof contract.listOpportunities>>,
  Fits<keyof client.ListQuery | 'fields', keyof contract.QueryOf<typeof contract.listAccounts>>,
  Fits<keyof client.ListNotesQuery, keyof contract.QueryOf<typeof contract.listNotes>>,
  Fits<keyof client.ListOpportunityFieldsQuery, keyof contract.QueryOf<typeof contract.listOpportunityFields>>,
  Fits<keyof client.ListEventsQuery, keyof contract.QueryOf<typeof contract.listEvents>>,
  Fits<keyof client.RemoveMemberQuery, keyof contract.QueryOf<typeof contract.deleteMember>>,
  Fits<keyof client.PageQuery, keyof contract.QueryOf<typeof contract.listPipelines>>,
];
