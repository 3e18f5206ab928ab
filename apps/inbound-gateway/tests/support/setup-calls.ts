import type { Answer } from '@crm/testing';
import { expect } from '@jest/globals';
import type { TestGateway } from './gateway.js';

type Data = Readonly<Record<string, never>> & Record<string, Record<string, unknown>>;

/** Calls that change the setup of an organization, and what is stored afterwards. */
export const setupCalls = (gateway: () => TestGateway, organization: () => TestGateway['organization']) => {
  const send = async (method: string, path: string, body?: unknown, status = 200): Promise<Answer> => {
    const answer = await gateway().client.send(method, `/v1/inbound/${path}`, {
      key: organization().key,
      ...(body === undefined ? {} : { body }),
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
    return answer;
  };
  const dataOf = async (method: string, path: string, body?: unknown): Promise<Data> =>
    (await send(method, path, body)).data as Data;
  const deal = async (name: string, more: object = {}): Promise<string> => {
    const body = { pipeline_id: organization().pipeline.id, opportunity: { name, ...more } };
    const related = { related_objects: { owner_email: organization().member.email } };
    return String((await dataOf('POST', 'opportunities', { ...body, ...related }))['opportunity_id']);
  };
  const stored = async (id: string): Promise<Record<string, unknown>> => {
    const text = 'SELECT o.*, o.record::jsonb AS shown FROM opportunities o WHERE o.organization_id = $1 AND o.id = $2';
    const [row] = await gateway().database.query(organization().id, { text, values: [id] });
    return row ?? {};
  };
  const stage = (label: string): string =>
    organization().pipeline.stages.find((one) => one.label === label)?.id ?? 'no such stage';
  const newField = async (body: object = {}): Promise<string> => {
    const field = { object: 'opportunity', name: 'Tier', slug: 'tier', attribute_type: 'select' };
    const options = [{ label: 'Gold', value: 'gold' }, { label: 'Iron' }];
    return String((await dataOf('POST', 'fields', { ...field, options, ...body }))['field']?.['field_id']);
  };
  return { send, dataOf, deal, stored, stage, newField };
};
