/** The size of a test in `npm test`, and in `npm run test:soak`, which checks the required figures. */
interface TestSize {
  readonly short: number;
  readonly soak: number;
}

/** True in `npm run test:soak`. */
export const isSoak = process.env['SOAK'] === '1';

/** The size of this run. A file that calls this function is part of `npm run test:soak`. */
export const testSize = ({ short, soak }: TestSize): number => (isSoak ? soak : short);

/** The cases of a random test in this run; `FC_RUNS` overrides both sizes. */
export const propertyRuns = (size: TestSize): number => Number(process.env['FC_RUNS'] ?? testSize(size));
