// Only the compiler checks this file: the contract accepts every body and query of the client, and the contract's responses have
// the client's types. src/types.ts is generated from the contract; this file also checks the hand-written queries against it.
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

/** Requests: from the client to the contract. */
export type Requests = [
  Fits<contract.CreateOpportunityBody, client.CreateOpportunityBody>,
  Fits<contract.CreateAccountBody, client.CreateAccountBody>,
  Fits<contract.CreateContactBody, client.CreateContactBody>,
  Fits<contract.CreateNoteBody, client.CreateNoteBody>,
  Fits<contract.CreatePipelineBody, client.CreatePipeline>,
  Fits<contract.UpdatePipelineBody, client.UpdatePipeline>,
  Fits<contract.CreateStageBody, client.CreateStage>,
  Fits<contract.UpdateStageBody, client.UpdateStage>,
  Fits<contract.CreateFieldBody, client.CreateField>,
  Fits<contract.UpdateFieldBody, client.UpdateField>,
  Fits<contract.CreateOptionBody, client.CreateOption>,
  Fits<contract.UpdateOptionBody, client.UpdateOption>,
  Fits<contract.CreateMemberBody, client.CreateMember>,
  Fits<contract.UpdateMemberBody, client.UpdateMember>,
  Fits<contract.BodyOf<typeof contract.restoreRecord>, client.RestoreBody>,
  Fits<contract.UpdateOpportunityBody, client.UpdateOpportunityBody>,
  Fits<contract.UpdateAccountBody, client.UpdateAccountBody>,
  Fits<contract.UpdateContactBody, client.UpdateContactBody>,
  Fits<contract.UpdateOpportunityItem, client.UpdateOpportunityItem>,
  Fits<contract.UpdateAccountItem, client.UpdateAccountItem>,
  Fits<contract.UpdateContactItem, client.UpdateContactItem>,
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
  Fits<keyof client.ListOpportunitiesQuery, keyof contract.QueryOf<typeof contract.listOpportunities>>,
  Fits<keyof client.ListQuery, keyof contract.QueryOf<typeof contract.listAccounts>>,
  Fits<keyof client.ListNotesQuery, keyof contract.QueryOf<typeof contract.listNotes>>,
  Fits<keyof client.ListOpportunityFieldsQuery, keyof contract.QueryOf<typeof contract.listOpportunityFields>>,
  Fits<keyof client.ListEventsQuery, keyof contract.QueryOf<typeof contract.listEvents>>,
  Fits<keyof client.RemoveMemberQuery, keyof contract.QueryOf<typeof contract.deleteMember>>,
  Fits<keyof client.PageQuery, keyof contract.QueryOf<typeof contract.listPipelines>>,
];

/** Answers: from the contract to the client. */
export type Answers = [
  Fits<client.OpportunityPage, contract.OpportunityPage>,
  Fits<client.AccountPage, contract.AccountPage>,
  Fits<client.ContactPage, contract.ContactPage>,
  Fits<client.NotePage, contract.NotePage>,
  Fits<client.EventLogPage, contract.EventLogPage>,
  Fits<client.LatestPosition, contract.LatestPosition>,
  Fits<client.HistoryPage, contract.HistoryPage>,
  Fits<client.PipelinePage, contract.PipelinePage>,
  Fits<client.StagePage, contract.StagePage>,
  Fits<client.MemberPage, contract.MemberPage>,
  Fits<client.Restored, contract.Restored>,
  Fits<client.FieldPage, contract.FieldPage>,
  Fits<client.Summary, contract.Summary>,
  Fits<client.OpportunityDetail, contract.OpportunityDetail>,
  Fits<client.AccountDetail, contract.AccountDetail>,
  Fits<client.ContactDetail, contract.ContactDetail>,
  Fits<client.CreatedOpportunity, contract.CreatedOpportunity>,
  Fits<client.CreatedAccount, contract.CreatedAccount>,
  Fits<client.CreatedContact, contract.CreatedContact>,
  Fits<client.CreatedNote, contract.CreatedNote>,
  Fits<client.NoteDetail, contract.NoteDetail>,
  Fits<client.BulkResults, contract.BulkResults>,
  Fits<client.Deleted, contract.Deleted>,
  Fits<client.ErrorBody, contract.ErrorBody>,
];
