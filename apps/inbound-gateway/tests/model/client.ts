import {
  bulkCreateContacts,
  bulkCreateOpportunities,
  createAccount,
  createContact,
  createOpportunity,
  deleteAccount,
  deleteContact,
  deleteOpportunity,
  mergeAccount,
  mergeContact,
  type OperationContract,
  restoreRecord,
  updateAccount,
  updateContact,
  updateOpportunity,
  updatePipeline,
  updateStage,
} from '@crm/contract';
import type { Database } from '@crm/db';
import type { Answer, TestClient, TestOrganization, TestRequest } from '@crm/testing';
import { unknownId } from '../support/records-of.js';
import type { Call } from './calls.js';
import * as merging from './merge-rules.js';
import * as rules from './rules.js';
import * as setup from './setup-rules.js';
import type { Fields, ModelDeal, ModelState, Related } from './state.js';

/** A request, and the rule that applies it to the model. */
type Plan = readonly [OperationContract, TestRequest, (state: ModelState) => unknown];

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

/** The fields with the stage that their index names. */
const withStage = (state: ModelState, { stageIndex, ...fields }: Fields): Fields =>
  typeof stageIndex === 'number' ? { ...fields, stage: state.stageAt(stageIndex) } : fields;

type Create = Call & { kind: 'createAccount' | 'createContact' | 'createDeal' };

/** The rule of a create; in a bulk call, with the `on_match` of that call. */
const ruleOf =
  (call: Create, onMatch = call.onMatch) =>
  (state: ModelState): unknown => {
    if (call.kind === 'createAccount') return rules.createAccount(state, call.domain, call.fields, onMatch);
    if (call.kind === 'createContact') return rules.createContact(state, call.email, call.fields, onMatch);
    return rules.createDeal(state, call.name, withStage(state, call.fields), call.related, call.parts, onMatch);
  };
const rulesOf =
  ({ calls, onMatch }: { readonly calls: readonly Create[]; readonly onMatch: rules.OnMatch }) =>
  (state: ModelState): unknown =>
    calls.map((one) => {
      const outcome = ruleOf(one, onMatch)(state);
      return typeof outcome === 'number' ? null : outcome;
    });

/** Converts an answer to the outcomes of the model's rules, for one item or for several. */
const outcomesOf = (answer: Answer): unknown => {
  if (answer.status !== 200) return answer.status;
  const data = answer.data as { results?: readonly { record_status: string | null }[]; id?: string } & object;
  if (data.results !== undefined) return data.results.map(({ record_status: status }) => status);
  if ('from' in data) return 'merged';
  if ('object' in data) return 'restored';
  return answer.headers.get('x-record-status') ?? (data.id === undefined ? 'updated' : 'deleted');
};

/** A client of one lane. It sends calls one after another and applies them to a model, which predicts the answers. */
export class ModelClient {
  constructor(
    readonly state: ModelState,
    readonly pipelineId: string,
    readonly pipelineName: string,
    readonly client: TestClient,
    readonly organization: TestOrganization,
    readonly database: Database,
  ) {}

  /** Sends a call. Returns the expected answer and the actual one. The answer to an update has no record status. */
  async run(call: Call): Promise<{ readonly expected: unknown; readonly actual: unknown }> {
    const plan = await this.#plan(call);
    if (plan === null) return { expected: null, actual: null };
    const [contract, request, rule] = plan;
    const expected = rule(this.state);
    const query = 'onMatch' in call ? { on_match: call.onMatch } : undefined;
    const answer = await this.client.call(contract, { ...request, query, key: this.organization.key });
    const isUpdate = contract.method === 'patch' && expected === 'matched';
    return { expected: isUpdate ? 'updated' : expected, actual: outcomesOf(answer) };
  }

  /** The request of a call, and the rule that applies it to the model. Null if the call needs a record that does not exist. */
  async #plan(call: Call): Promise<Plan | null> {
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
        const rule = (state: ModelState) =>
          rules.updateDeal(state, call.index, withStage(state, call.fields), call.related);
        return [updateOpportunity, { ...(await this.#deal(call.index)), body }, rule];
      }
      case 'deleteAccount':
        return [deleteAccount, await this.#account(call.domain), (state) => rules.deleteAccount(state, call.domain)];
      case 'deleteContact':
        return [deleteContact, await this.#contact(call.email), (state) => rules.deleteContact(state, call.email)];
      case 'deleteDeal':
        return [deleteOpportunity, await this.#deal(call.index), (state) => rules.deleteDeal(state, call.index)];
      case 'mergeAccounts':
      case 'mergeContacts':
        return this.#merge(call);
      case 'restoreAccount':
      case 'restoreDeal':
        return this.#restore(call);
      default:
        return this.#setUp(call);
    }
  }

  async #merge(call: Call & { kind: 'mergeAccounts' | 'mergeContacts' }): Promise<Plan | null> {
    const { from, mergesDeals } = call;
    const body = (id: unknown) => ({ from: id, ...(mergesDeals ? { deals: 'merge' } : {}) });
    if (call.kind === 'mergeAccounts') {
      const [kept, other] = [this.state.accountAt(call.domain), this.state.accountAt(from)];
      if (kept === undefined || other === undefined || kept === other) return null;
      const [request, { params }] = [await this.#account(call.domain), await this.#account(from)];
      const rule = (state: ModelState) => merging.mergeAccounts(state, kept, other, mergesDeals);
      return [mergeAccount, { ...request, body: body(params?.['id']) }, rule];
    }
    const [kept, other] = [this.state.contactAt(call.email), this.state.contactAt(from)];
    if (kept === undefined || other === undefined || kept === other) return null;
    const [request, { params }] = [await this.#contact(call.email), await this.#contact(from)];
    const rule = (state: ModelState) => merging.mergeContacts(state, kept, other, mergesDeals);
    return [mergeContact, { ...request, body: body(params?.['id']) }, rule];
  }

  async #restore({ kind, index }: Call & { kind: 'restoreAccount' | 'restoreDeal' }): Promise<Plan | null> {
    const [account, deal] = [this.state.deletedAccounts[index], this.state.deletedDeals[index]];
    const id = (kind === 'restoreAccount' ? account : deal)?.id;
    if (id === undefined) return null;
    const text = `SELECT max(e.position)::int AS position FROM events e WHERE e.organization_id = $1 AND e.record_id = $2 AND e.type LIKE '%.deleted'`;
    const [row] = await this.database.query<{ position: number }>(this.organization.id, { text, values: [id] });
    const rule = (state: ModelState) => {
      if (kind === 'restoreAccount') return account && merging.restoreAccount(state, account);
      return deal && merging.restoreDeal(state, deal);
    };
    return [restoreRecord, { body: { position: row?.position } }, rule];
  }

  #setUp(call: Call): Plan {
    if (call.kind === 'activatePipeline') {
      const request = { params: { id: this.pipelineId }, body: { is_active: call.isActive } };
      return [updatePipeline, request, (state) => setup.activatePipeline(state, call.isActive)];
    }
    const stage = (index: number, body: object) => ({ params: { id: this.state.stageAt(index).id }, body });
    switch (call.kind) {
      case 'renameStage': {
        const request = stage(call.index, { label: call.label });
        return [updateStage, request, (state) => setup.renameStage(state, call.index, call.label)];
      }
      case 'archiveStage': {
        const to = call.to === null ? {} : { move_opportunities_to: this.state.stageAt(call.to).id };
        const request = stage(call.index, { is_active: false, ...to });
        return [updateStage, request, (state) => setup.archiveStage(state, call.index, call.to)];
      }
      case 'activateStage': {
        const request = stage(call.index, { is_active: true });
        return [updateStage, request, (state) => setup.activateStage(state, call.index)];
      }
      case 'makeDefaultStage': {
        const request = stage(call.index, { is_default: true });
        return [updateStage, request, (state) => setup.makeDefaultStage(state, call.index)];
      }
      case 'setOutcome': {
        const request = stage(call.index, { outcome: call.outcome });
        return [updateStage, request, (state) => setup.setOutcome(state, call.index, call.outcome)];
      }
      default:
        throw new Error(`${call.kind} is no change of the setup`);
    }
  }

  #dealFields({ amount, stageIndex, ...fields }: Fields): Record<string, unknown> {
    const stageId = typeof stageIndex === 'number' ? this.state.stageAt(stageIndex).id : undefined;
    return { ...withCustom(fields), deal_size: amount, stage_id: stageId };
  }

  #dealBody({ name, fields, related, parts: { person, note, byName } }: Call & { kind: 'createDeal' }): object {
    const { stage_id: stageId, ...others } = this.#dealFields(fields);
    const label = this.state.stages.find(({ id }) => id === stageId)?.label.toUpperCase();
    return {
      ...(byName ? { pipeline: this.pipelineName } : { pipeline_id: this.pipelineId }),
      opportunity: { name, ...others, ...(byName ? { stage: label } : { stage_id: stageId }) },
      related_objects: relatedObjects(person === undefined ? related : { ...related, primary: undefined }),
      primary_contact: person && { email: person.email, ...person.fields },
      note: note && { title: note },
    };
  }

  /** The path of the record that a query finds. `$1` is the organization. */
  async #target(text: string, values: readonly unknown[]): Promise<TestRequest> {
    const [row] = await this.database.query<{ id: string }>(this.organization.id, { text, values });
    return { params: { id: row?.id ?? unknownId } };
  }

  async #account(domain: string): Promise<TestRequest> {
    const text = 'SELECT id FROM accounts WHERE organization_id = $1 AND domain = $2';
    const request = await this.#target(text, [domain]);
    const account = this.state.accountAt(domain);
    if (account !== undefined) account.id = request.params?.['id'];
    return request;
  }

  async #contact(email: string): Promise<TestRequest> {
    const request = await this.#target('SELECT id FROM contacts WHERE organization_id = $1 AND email = $2', [email]);
    // The deals of a deleted contact keep its id in their natural keys.
    const contact = this.state.contactAt(email);
    if (contact !== undefined) contact.id = request.params?.['id'];
    return request;
  }

  /** The email of the contact that owns a deal, if that contact still exists. */
  #emailOfOwner(deal: ModelDeal | undefined): string | undefined {
    const owner = deal?.owner;
    return owner && this.state.contacts.includes(owner) ? owner.email : undefined;
  }

  async #deal(index: number): Promise<TestRequest> {
    const deal = this.state.deals[index];
    const request = await this.#target(
      `SELECT o.id FROM opportunities o LEFT JOIN accounts a ON a.organization_id = $1 AND a.id = o.account_id
        WHERE o.organization_id = $1 AND o.name = $2 AND CASE WHEN $3::text IS NOT NULL THEN a.domain = $3 ELSE o.account_id IS NULL
          AND o.account_key = coalesce((SELECT c.id::text FROM contacts c WHERE c.organization_id = $1 AND c.email = $4), $5, '') END`,
      [deal?.name, deal?.account?.domain, this.#emailOfOwner(deal), deal?.owner?.id],
    );
    if (deal !== undefined) deal.id = request.params?.['id'];
    return request;
  }
}
