import type { Answer, TestOrganization } from '@crm/testing';
import { beforeEach, expect } from '@jest/globals';
import type { TestGateway } from './gateway.js';

/** Gives each test of a file an organization of its own. */
export const useOrganization = (gateway: () => TestGateway) => {
  const organization = {} as TestOrganization;
  beforeEach(async () => {
    Object.assign(organization, await gateway().createOrganization());
  });
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    gateway().client.send(method, `/v1/inbound/${path}`, { key: organization.key, body });
  return {
    organization,
    send,
    /** Sends a request that must be answered with a status. */
    expectStatus: async (method: string, path: string, body?: unknown, status = 200): Promise<Answer> => {
      const answer = await send(method, path, body);
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
      return answer;
    },
    /** Runs a query in which `$1` is the organization. */
    rows: (text: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> =>
      gateway().database.query(organization.id, { text, values }),
  };
};
