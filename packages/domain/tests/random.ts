import fc from 'fast-check';

/** The size of a test in `npm test` and in `npm run test:soak`. As in `@crm/testing`, which this package may not import. */
export const testSize = ({ short, soak }: { readonly short: number; readonly soak: number }): number =>
  process.env['SOAK'] === '1' ? soak : short;

/** The cases of a random test in this run; `FC_RUNS` overrides both sizes. */
export const propertyRuns = (size: { readonly short: number; readonly soak: number }): number =>
  Number(process.env['FC_RUNS'] ?? testSize(size));

/** A character of any plane, often one of ASCII. fast-check's unit `binary` takes a second to prepare. */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.nat(0x10f7ff))
  .map((rank) => String.fromCodePoint(rank < 0xd800 ? rank : rank + 0x800));
