import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import { eventTypes } from '@crm/domain';
import { EventFold, type LoggedEvent, reportFigure, testSize, until } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { changedSince, eventsAfter, storedRecords, timesOfEvents } from './support/logged-records.js';
import { type OwnStack, startOwnStack } from './support/own-stack.js';

const kills = testSize({ short: 1, soak: 10 });
const loadMs = testSize({ short: 2_000, soak: 10_000 });
const writers = 8;
const pageLength = 20;

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 1_000_000);

type Gateway = Awaited<ReturnType<OwnStack['startGateway']>>;

let stack: OwnStack;
let gateways: Gateway[];

const startGateway = () => stack.startGateway({ RATE_LIMIT_BULK: '0' });

beforeAll(async () => {
  stack = await startOwnStack();
  gateways = [await startGateway(), await startGateway()];
});
afterAll(() => stack.stop());

/** Returns a generator of numbers below a bound. The same seed gives the same numbers. */
const createRandom = (writer: number): ((bound: number) => number) => {
  let state = seed + writer * 7_919;
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * bound);
  };
};

/** The ids that creates answered. Some of these records no longer exist when their ids are used. */
const known = { account: [] as string[], contact: [] as string[], opportunity: [] as string[], note: [] as string[] };

/** Positions of deletions that can be undone, filled by the reader of the log. */
const deletions = { account: [] as number[], opportunity: [] as number[] };

/** Number of calls sent so far. */
let sent = 0;

/** Picks one of a few domains. The set changes over time, because merges leave fewer and fewer accounts per domain. */
const domainOf = (random: (bound: number) => number): string => `d${2 * Math.floor(sent / 200) + random(8)}.com`;

type Call = readonly [contract: OperationContract, request: object];

const relatedOf = (random: (bound: number) => number) => ({
  primary_contact_email: `c${random(30)}@${domainOf(random)}`,
  additional_contact_emails: [`c${random(30)}@${domainOf(random)}`, `c${random(30)}@${domainOf(random)}`],
});

/** Picks one of the calls by the next random number. */
const oneOf = (calls: readonly Call[], random: (bound: number) => number): Call => {
  const call = calls[random(calls.length)];
  if (call === undefined) throw new Error('there is no call to choose from');
  return call;
};

/** A call that creates a record. There are few keys, so that writers collide. */
const creation = (random: (bound: number) => number): Call => {
  const pipeline_id = stack.organization.pipeline.id;
  const deal = () => ({ pipeline_id, opportunity: { name: `Deal ${random(12)}` }, related_objects: relatedOf(random) });
  const contact = () => ({ email: `c${random(30)}@${domainOf(random)}`, first_name: `First ${random(5)}` });
  const query = random(2) === 0 ? {} : { on_match: 'update' };
  const noted = [known.opportunity.at(-1 - random(4)) ?? stack.organization.id];
  const calls: readonly Call[] = [
    [api.createAccount, { body: { domain: domainOf(random), name: `Name ${random(9)}` }, query }],
    // An account without contacts can be deleted.
    [api.createAccount, { body: { domain: `lone${random(1_000)}.com` } }],
    [api.createContact, { body: contact(), query }],
    [api.createOpportunity, { body: deal(), query }],
    [api.createNote, { body: { note: { title: `Note ${random(9)}` }, contact_emails: [contact().email] } }],
    [api.createNote, { body: { note: { title: `Note ${random(9)}` }, related_objects: { opportunity_ids: noted } } }],
    [api.bulkCreateContacts, { body: { items: [contact(), contact(), { email: 'none' }] }, query }],
    [api.bulkCreateOpportunities, { body: { items: [deal(), deal(), deal()] }, query }],
  ];
  return oneOf(calls, random);
};

/** A call that changes, deletes, merges or restores a record. */
const change = (random: (bound: number) => number): Call => {
  const one = (object: keyof typeof known) => known[object][random(known[object].length)] ?? stack.organization.id;
  const recent = (object: keyof typeof known) => known[object].at(-1 - random(8)) ?? stack.organization.id;
  const to = (id: string) => ({ params: { id } });
  const merge = (object: keyof typeof known) => ({
    ...to(recent(object)),
    body: { from: recent(object), deals: 'merge' },
  });
  const restore = (object: keyof typeof deletions) => ({
    body: { position: deletions[object].at(-1 - random(8)) ?? 1 },
  });
  const renamed = {
    opportunity: { name: `Deal ${random(12)}`, deal_size: random(1_000) },
    related_objects: relatedOf(random),
  };
  const calls: readonly Call[] = [
    [api.updateAccount, { ...to(one('account')), body: { name: `Name ${random(9)}`, industry: `I${random(3)}` } }],
    [api.updateContact, { ...to(one('contact')), body: { last_name: `Last ${random(9)}` } }],
    [api.updateContact, { ...to(one('contact')), body: { email: `c${random(30)}@${domainOf(random)}` } }],
    [api.updateOpportunity, { ...to(one('opportunity')), body: renamed }],
    [
      api.bulkUpdateAccounts,
      { body: { items: [1, 2, 3].map(() => ({ id: one('account'), domain: domainOf(random) })) } },
    ],
    [api.deleteOpportunity, to(one('opportunity'))],
    [api.deleteContact, to(one('contact'))],
    [api.updateNote, { ...to(one('note')), body: { note: { content: `Text ${random(9)}` } } }],
    [api.deleteNote, to(one('note'))],
    [api.deleteAccount, to(recent('account'))],
    [api.deleteAccount, to(known.account.at(-1) ?? one('account'))],
    [api.mergeAccount, merge('account')],
    [api.mergeContact, merge('contact')],
    [api.restoreRecord, restore('account')],
    [api.restoreRecord, restore('opportunity')],
  ];
  return oneOf(calls, random);
};

/** Remembers the ids in the answer of a create. */
const remember = (data: unknown): void => {
  const { company_id, people_id, opportunity_id, note_id } = data as Readonly<Record<string, string | undefined>>;
  if (company_id !== undefined) known.account.push(company_id);
  if (people_id !== undefined) known.contact.push(people_id);
  if (opportunity_id !== undefined) known.opportunity.push(opportunity_id);
  if (note_id !== undefined) known.note.push(note_id);
};

/** The event types that the race must produce: all of them. Contacts and notes cannot be restored. */
const raced = eventTypes.filter((type) => type !== 'contact.restored' && type !== 'note.restored');

const allowed = [200, 400, 404, 409, 503];

/** Writes through both gateways in turn until a test stops it. Calls to a gateway that is gone get no answer. */
const startWriters = () => {
  const statuses = new Map<number, number>();
  let isRunning = true;
  const write = async (writer: number): Promise<void> => {
    const random = createRandom(writer);
    for (let index = writer; isRunning; index += 1) {
      sent += 1;
      const [contract, request] = random(5) < 3 ? creation(random) : change(random);
      const answer = await gateways[index % gateways.length]?.client.call(contract, request).catch(() => null);
      if (answer === null || answer === undefined) {
        await sleep(10);
        continue;
      }
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 200) remember(answer.data);
    }
  };
  const running = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return async () => {
    isRunning = false;
    await running;
    return statuses;
  };
};

/** Follows the log page by page, as a client does, and collects every event that it reads. */
const startReader = (seen: LoggedEvent[]) => {
  let isRunning = true;
  const read = async (): Promise<void> => {
    for (;;) {
      const after = seen.at(-1)?.position ?? 0;
      const isLastRound = !isRunning;
      const page = await eventsAfter(stack.database, stack.organization.id, after, pageLength).catch(() => null);
      seen.push(...(page ?? []));
      for (const { type, position } of page ?? []) {
        if (type === 'account.deleted') deletions.account.push(position);
        if (type === 'opportunity.deleted') deletions.opportunity.push(position);
      }
      if (isLastRound && page?.length === 0) return;
      if (page === null || page.length < pageLength) await sleep(2);
    }
  };
  const reading = read();
  return async () => {
    isRunning = false;
    await reading;
  };
};

/** Reads changed records in the order of `updated_at`, as the contract says: from five seconds before the last one seen. */
const startPoller = () => {
  const versions = new Map<string, number>();
  let isRunning = true;
  let last = '1970-01-01T00:00:00Z';
  const read = async (): Promise<void> => {
    for (;;) {
      const isLastRound = !isRunning;
      const changed = await changedSince(stack.database, stack.organization.id, last).catch(() => null);
      for (const { key, version, updated_at: at } of changed ?? []) {
        versions.set(key, version);
        if (at > last) last = at;
      }
      if (isLastRound && changed !== null) return;
      await sleep(20);
    }
  };
  const reading = read();
  return async () => {
    isRunning = false;
    await reading;
    return versions;
  };
};

const killGateway = async (index: number): Promise<void> => {
  const gateway = gateways[index];
  if (gateway === undefined) return;
  const exited = once(gateway.process.child, 'exit');
  gateway.process.child.kill('SIGKILL');
  await exited;
  gateways[index] = await startGateway();
};

const foldOf = (events: readonly LoggedEvent[]): EventFold => {
  const fold = new EventFold();
  for (const event of events) fold.add(event);
  return fold;
};

test(`R23, R24: the log is complete, and a reader sees each event once, in order (seed ${seed})`, async () => {
  const seen: LoggedEvent[] = [];
  const stopReader = startReader(seen);
  const stopPoller = startPoller();
  const stopWriters = startWriters();
  for (let round = 0; round < kills; round += 1) {
    await sleep(loadMs);
    await killGateway(round % gateways.length);
    await sleep(loadMs);
    await stack.postgres.kill();
    await stack.postgres.start();
  }
  await sleep(loadMs);
  await until(() => raced.every((type) => seen.some((event) => event.type === type)), 100);
  const statuses = await stopWriters();
  await stopReader();
  const polled = await stopPoller();
  const log = await eventsAfter(stack.database, stack.organization.id, 0, 1_000_000);
  const stored = await storedRecords(stack.database, stack.organization.id);
  const times = await timesOfEvents(stack.database, stack.organization.id);
  const unseen = [...stored].filter(([key, record]) => polled.get(key) !== record['version']).map(([key]) => key);
  const [whole, followed] = [foldOf(log), foldOf(seen)];
  const positions = new Set(log.map(({ position }) => position));
  const gaps = (log.at(-1)?.position ?? 0) - positions.size;
  const seenPositions = new Set(seen.map(({ position }) => position));
  const missed = log.filter(({ position }) => !seenPositions.has(position)).length;
  const wrong = [...whole.faults, ...whole.differences(stored)];
  const wronglySeen = [...followed.faults, ...followed.differences(stored)];
  const [ofLog, ofReader] = [wrong.length + gaps, missed + wronglySeen.length];
  reportFigure('R23', `records that the log has otherwise, and positions missing, of ${log.length} events`, ofLog, 0);
  reportFigure('R24', `records that a poller by updated_at missed, of ${stored.size}`, unseen.length, 0);
  reportFigure('R24', 'longest time by which updated_at came too late, ms', times.longestMs, '<= 5000');
  reportFigure('R24', `events that a reader missed, or saw twice or out of order, of ${log.length}`, ofReader, 0);
  expect([...statuses.keys()].filter((status) => !allowed.includes(status))).toEqual([]);
  expect({ missed, gaps, repeated: log.length - positions.size }).toEqual({ missed: 0, gaps: 0, repeated: 0 });
  expect(wrong).toEqual([]);
  expect(wronglySeen).toEqual([]);
  expect(unseen).toEqual([]);
  expect(times).toMatchObject({ outOfOrder: 0, outOfBounds: 0 });
  expect(new Set(log.map(({ type }) => type))).toEqual(new Set(raced));
  expect(stored.size).toBeGreaterThan(0);
}, 600_000);
