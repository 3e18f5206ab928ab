import { parseArgs } from 'node:util';

/** What a run is asked for. */
export interface BenchArguments {
  /** Measures to take; all of them when empty. */
  readonly ids: readonly string[];
  /** Small data and short rounds, to try things out: nothing is kept. */
  readonly isQuick: boolean;
  readonly isSoak: boolean;
  /** Deals of the largest data, where sizes are compared. */
  readonly largest: number;
  /** A commit to compare writes with. */
  readonly against: string | null;
}

const units: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

const readSize = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d+)([km]?)$/.exec(text) ?? [];
  if (digits === '') throw new Error(`--size takes a number such as 300k or 10m, not ${text}`);
  return Number(digits) * (units[unit] ?? 1);
};

/** Reads `[S1 …] [--quick] [--soak] [--size 10m] [--against v1]`. @throws Error that says what is wrong */
export const readArguments = (args: readonly string[]): BenchArguments & { readonly isSizeGiven: boolean } => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      soak: { type: 'boolean' },
      size: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const ids = positionals.map((id) => id.toUpperCase());
  const unknown = ids.find((id) => !/^S([1-9]|1[0-35-7])$/.test(id));
  if (unknown !== undefined) throw new Error(`There is no measure ${unknown}: they are S1 to S13 and S15 to S17`);
  const isQuick = values.quick === true;
  return {
    ids,
    isQuick,
    against: values.against ?? null,
    isSoak: values.soak === true,
    isSizeGiven: values.size !== undefined,
    largest: values.size === undefined ? (isQuick ? 300_000 : 1_000_000) : readSize(values.size),
  };
};
