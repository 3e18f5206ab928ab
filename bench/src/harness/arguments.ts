import { parseArgs } from 'node:util';

/** The arguments of a run. */
interface BenchArguments {
  /** The measures to take. If empty, the other options decide. */
  readonly ids: readonly string[];
  /** Small data and short rounds, for trying things out. Results are not saved. */
  readonly isQuick: boolean;
  /** The number of deals in the largest data of a size comparison. */
  readonly largest: number;
  /** A commit to compare writes with. */
  readonly against: string | null;
}

const units: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

const readSize = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d+)([km]?)$/.exec(text) ?? [];
  if (digits === '') throw new Error(`--size must be a number such as 300k or 10m, not ${text}`);
  return Number(digits) * (units[unit] ?? 1);
};

/** Reads `[S1 …] [--quick] [--size 10m] [--against v1]`. @throws Error that names the fault */
export const readArguments = (
  args: readonly string[],
  known: readonly string[],
): BenchArguments & { readonly isSizeGiven: boolean } => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      size: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const ids = positionals.map((id) => id.toUpperCase());
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) throw new Error(`There is no measure ${unknown}; the measures are ${known.join(', ')}`);
  const isQuick = values.quick === true;
  return {
    ids,
    isQuick,
    against: values.against ?? null,
    isSizeGiven: values.size !== undefined,
    largest: values.size === undefined ? (isQuick ? 300_000 : 1_000_000) : readSize(values.size),
  };
};
