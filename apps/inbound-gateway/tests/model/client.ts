import {
  bulkCreateContacts,
  bulkCreateOpportunities,
  createAccount,
  createContact,
  createOpportunity,
  deleteAccount,
  deleteContact,
  deleteOpportunity,
  type OperationContract,
  updateAccount,
  updateContact,
  updateOpportunity,
} from '@crm/contract';
import type { Database } from '@crm/db';
import type { Answer, TestClient, TestOrganization, TestRequest } from '@crm/testing';
import { unknownId } from '../support/records-of.js';
import type { Call } from './calls.js';
import * as rules from './rules.js';
import { type Fields, type ModelDeal, ModelState, type Related } from './state.js';

const withCustom = ({ score, ...fields }: Fields): Record<string, unknown> => ({
  ...fields,
  ...(score === undefined ? {} : { custom__score: score }),
});

const relatedObjects = ({ account, primary, additional }: Related) => ({
  account_domain: account,
  primary_contact_email: primary,
  additional_contact_emails: additional,
});

const contactBody = ({ email, fields }: Call & { kind: 'createContact' }): object => ({ email, ...withCustom(fields) });

type Create = Call & { kind: 'createAccount' | 'createContact' | 'createDeal' };

/** The rule of a create; in a bulk call, with the `on_match` of that call. */
const ruleOf =
  (call: Create, onMatch = call.onMatch) =>
  (state: ModelState): unknown => {
    if (call.kind === 'createAccount') return rules.createAccount(state, call.domain, call.fields, onMatch);
    if (call.kind === 'createContact') return rules.createContact(state, call.email, call.fields, onMatch);
    return rules.createDeal(state, call.name, call.fields, call.related, onMatch);
  };
const rulesOf =
  ({ calls, onMatch }: { readonly calls: readonly Create[]; readonly onMatch: rules.OnMatch }) =>
  (state: ModelState): unknown =>
    calls.map((one) => ruleOf(one, onMatch)(state));

/** Converts an answer to the outcomes of the model's rules, for one item or for several. */
const outcomesOf = (answer: Answer): unknown => {
  if (answer.status !== 200) return answer.status;
  const data = answer.data as { results?: readonly { record_status: string | null }[]; id?: string };
  if (data.results !== undefined) return data.results.map(({ record_status: status }) => status);
  return answer.headers.get('x-record-status') ?? (data.id === undefined ? 'updated' : 'deleted');
};

/** A client of one lane. It sends calls one after another and applies them to a model, which predicts the answers. */
export class ModelClient {
  readonly state = new ModelState();

  constructor(
    readonly client: TestClient,
    readonly organization: TestOrganization,
    readonly database: Database,
  ) {}

  /** Sends a call. Returns the expected answer and the actual one. The answer to an update has no record status. */
  async run(call: Call): Promise<{ readonly expected: unknown; readonly actual: unknown }> {
    const [contract, request, rule] = await this.#plan(call);
    const expected = rule(this.state);
    const query = 'onMatch' in call ? { on_match: call.onMatch } : undefined;
    const answer = await this.client.call(contract, { ...request, query, key: this.organization.key });
    const isUpdate = contract.method === 'patch' && expected === 'matched';
    return { expected: isUpdate ? 'updated' : expected, actual: outcomesOf(answer) };
  }

  /** The request of a call, and the rule that applies it to the model. */
  async #plan(call: Call): Promise<readonly [OperationContract, TestRequest, (state: ModelState) => unknown]> {
    switch (call.kind) {
      case 'createAccount':
        return [createAccount, { body: { domain: call.domain, ...withCustom(call.fields) } }, ruleOf(call)];
      case 'createContact':
        return [createContact, { body: contactBody(call) }, ruleOf(call)];
      case 'createDeal':
        return [createOpportunity, { body: this.#dealBody(call) }, ruleOf(call)];
      case 'bulkContacts':
        return [bulkCreateContacts, { body: { items: call.calls.map(contactBody) } }, rulesOf(call)];
      case 'bulkDeals':
        return [
          bulkCreateOpportunities,
          { body: { items: call.calls.map((one) => this.#dealBody(one)) } },
          rulesOf(call),
        ];
      case 'updateAccount': {
        const request = { ...(await this.#account(call.domain)), body: withCustom(call.fields) };
        return [updateAccount, request, (state) => rules.updateAccount(state, call.domain, call.fields)];
      }
      case 'updateContact': {
        const request = { ...(await this.#contact(call.email)), body: withCustom(call.fields) };
        return [updateContact, request, (state) => rules.updateContact(state, call.email, call.fields)];
      }
      case 'updateDeal': {
        const body = { opportunity: this.#dealFields(call.fields), related_objects: relatedObjects(call.related) };
        const rule = (state: ModelState) => rules.updateDeal(state, call.index, call.fields, call.related);
        return [updateOpportunity, { ...(await this.#deal(call.index)), body }, rule];
      }
      case 'deleteAccount':
        return [deleteAccount, await this.#account(call.domain), (state) => rules.deleteAccount(state, call.domain)];
      case 'deleteContact':
        return [deleteContact, await this.#contact(call.email), (state) => rules.deleteContact(state, call.email)];
      case 'deleteDeal':
        return [deleteOpportunity, await this.#deal(call.index), (state) => rules.deleteDeal(state, call.index)];
    }
  }

  #dealFields({ amount, stage, ...fields }: Fields): Record<string, unknown> {
    const stageId = this.organization.pipeline.stages.find(({ label }) => label === stage)?.id;
    return { ...withCustom(fields), deal_size: amount, stage_id: stageId };
  }

  #dealBody({ name, fields, related }: Call & { kind: 'createDeal' }): object {
    return {
      pipeline_id: this.organization.pipeline.id,
      opportunity: { name, ...this.#dealFields(fields) },
      related_objects: relatedObjects(related),
    };
  }

  /** The path of the record that a query finds. `$1` is the organization. */
  async #target(text: string, values: readonly unknown[]): Promise<TestRequest> {
    const [row] = await this.database.query<{ id: string }>(this.organization.id, { text, values });
    return { params: { id: row?.id ?? unknownId } };
  }

  #account(domain: string): Promise<TestRequest> {
    return this.#target('SELECT id FROM accounts WHERE organization_id = $1 AND domain = $2', [domain]);
  }

  async #contact(email: string): Promise<TestRequest> {
    const request = await this.#target('SELECT id FROM contacts WHERE organization_id = $1 AND email = $2', [email]);
    // The deals of a deleted contact keep its id in their natural keys.
    const contact = this.state.findContact(email);
    if (contact !== undefined) contact.id = request.params?.['id'];
    return request;
  }

  /** The email of the contact that owns a deal, if that contact still exists. */
  #emailOfOwner(deal: ModelDeal | undefined): string | undefined {
    const owner = deal?.owner;
    return owner && this.state.contacts.includes(owner) ? owner.email : undefined;
  }

  #deal(index: number): Promise<TestRequest> {
    const deal = this.state.deals[index];
    return this.#target(
      `SELECT o.id FROM opportunities o LEFT JOIN accounts a ON a.organization_id = $1 AND a.id = o.account_id
        WHERE o.organization_id = $1 AND o.name = $2 AND CASE WHEN $3::text IS NOT NULL THEN a.domain = $3 ELSE o.account_id IS NULL
          AND o.account_key = coalesce((SELECT c.id::text FROM contacts c WHERE c.organization_id = $1 AND c.email = $4), $5, '') END`,
      [deal?.name, deal?.account?.domain, this.#emailOfOwner(deal), deal?.owner?.id],
    );
  }
}
