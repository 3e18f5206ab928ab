import { Failure } from '@crm/domain';
import { expect, test } from '@jest/globals';
import { createPipelineChanges } from '../src/setup/setup-change.js';
import { createSetupCache } from '../src/setup-cache.js';
import { useSmallOrganization } from './support/small-organization.js';

const { changeSetup, database, organizationId } = useSmallOrganization('setup-cache-test');

/** A cache with a clock that the test moves. */
const startCache = () => {
  let nowMs = 5_000;
  const cache = createSetupCache(database, () => nowMs);
  return {
    cache,
    pass: (ms: number) => {
      nowMs += ms;
    },
    pipelines: () => cache.use(organizationId(), (setup) => Promise.resolve(setup.pipelines.length)),
  };
};
let names = 0;
/** Another process changes the setup. */
const change = () =>
  changeSetup(createPipelineChanges(crypto.randomUUID(), { name: `Pipeline ${(names += 1)}` }, [{ label: 'New' }]));

test('uses a change that another process made after a second, and not before', async () => {
  const { pass, pipelines, cache } = startCache();
  expect(await pipelines()).toBe(2);
  await change();
  pass(999);
  expect(await pipelines()).toBe(2);
  pass(1);
  expect(await pipelines()).toBe(3);
  expect(cache.counts).toEqual({ hits: 1, misses: 2 });
});

test('uses a change of this process at once, and reads the setup again on demand', async () => {
  const { pipelines, cache } = startCache();
  await pipelines();
  await change();
  cache.forget(organizationId());
  expect(await pipelines()).toBe(3);
  await change();
  expect((await cache.reload(organizationId())).pipelines).toHaveLength(4);
  expect(await pipelines()).toBe(4);
});

test('runs work that a cached setup may have made fail once more with a fresh one, and only then', async () => {
  const { pass, pipelines, cache } = startCache();
  await pipelines();
  await change();
  const seen: number[] = [];
  const failing = (error: Error) =>
    cache.use(organizationId(), (setup) => {
      seen.push(setup.pipelines.length);
      return Promise.reject(error);
    });
  const notFound = new Failure({ kind: 'not_found' });
  pass(1);
  await expect(failing(new Error('other'))).rejects.toThrow('other');
  await expect(failing(notFound)).rejects.toBe(notFound);
  expect(seen).toEqual([2, 2, 3]);
  pass(1);
  // With a setup that was just read, a second run would fail in the same way.
  cache.forget(organizationId());
  await expect(failing(notFound)).rejects.toBe(notFound);
  expect(seen).toEqual([2, 2, 3, 3]);
});

test('reads the setup for a read that names a write, and once for all reads that name it', async () => {
  const { cache, pipelines } = startCache();
  await pipelines();
  await change();
  const mark = { cluster: 7n, kind: 'transaction', value: 9n } as const;
  const marked = cache.on(database, mark);
  const count = () => marked.use(organizationId(), (setup) => Promise.resolve(setup.pipelines.length));
  expect([await count(), await count()]).toEqual([3, 3]);
  expect(cache.counts).toEqual({ hits: 1, misses: 2 });
});
