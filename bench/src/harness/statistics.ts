/** The middle one of some numbers; the mean of the middle two where they are even. */
export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** The number below which `share` (0 to 1) of some numbers lie. */
export const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** How far apart some numbers are: the difference of the greatest and the least as a share of their median, 0 where that is 0. */
export const spread = (numbers: readonly number[]): number => {
  const middle = median(numbers);
  return middle === 0 ? 0 : (Math.max(...numbers) - Math.min(...numbers)) / middle;
};
