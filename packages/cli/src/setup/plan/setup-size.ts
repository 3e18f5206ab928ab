import { setupLimits } from '@crm/domain';

import type { KeyPath, YamlFile } from '../../yaml-file.js';
import type { StoredSetup } from './plan-step.js';

type Counted = 'fields' | 'pipelines' | 'stages' | 'members' | 'webhooks';

/** A value as PostgreSQL writes jsonb: with a space after each colon and comma. */
const jsonbText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${jsonbText(one)}`);
  return `{${pairs.join(', ')}}`;
};

const bytesOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => {
    if (value === undefined || value === null) return sum;
    return sum + Buffer.byteLength(typeof value === 'string' ? value : jsonbText(value));
  }, 0);

/** Counts what a plan adds to a setup, and refuses what the API would refuse later as too much. */
export class SetupSize {
  readonly #counts: Record<Counted, number>;
  #bytes: number;

  constructor(
    private readonly source: YamlFile,
    { fields, pipelines, members, webhooks }: StoredSetup,
    private readonly maxWebhooks: number,
  ) {
    const counts = { fields: fields.length, pipelines: pipelines.length, members: members.length };
    this.#counts = { ...counts, stages: 0, webhooks: webhooks.length };
    this.#bytes = bytesOf([
      ...fields.flatMap(({ current_name: name, metadata }) => [name, metadata]),
      ...pipelines.flatMap(({ name, stages }) => [name, ...stages.map(({ label }) => label)]),
      ...members.flatMap(({ name, email }) => [name, email]),
    ]);
  }

  /** Starts to count the stages of a pipeline. */
  startPipeline(stages: number): void {
    this.#counts.stages = stages;
  }

  /** Counts a new entry. */
  add(what: Counted, path: KeyPath): void {
    const most = what === 'webhooks' ? this.maxWebhooks : setupLimits[what];
    this.#counts[what] += 1;
    const whole = what === 'stages' ? 'the pipeline' : 'the organization';
    if (this.#counts[what] === most + 1) this.source.problem(path, `${whole} would have more than ${most} ${what}`);
  }

  /** Counts the texts that get longer. Those that get shorter are not subtracted, because that may happen later. */
  grow(after: readonly unknown[], before: readonly unknown[]): void {
    this.#bytes += Math.max(0, bytesOf(after) - bytesOf(before));
  }

  /** Reports texts that would be too long together. */
  checkBytes(): void {
    const most = setupLimits.bytes;
    if (this.#bytes <= most) return;
    const text = `would make all names, labels and options of the setup larger than ${most / 1024} KB together`;
    this.source.problem([], `${text}: ${Math.ceil(this.#bytes / 1024)} KB`);
  }
}
