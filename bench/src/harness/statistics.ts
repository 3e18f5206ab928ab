/** The median: the middle number, or the mean of the two middle ones. */
export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** The number below which the share (0 to 1) of the numbers lies. */
export const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** The difference between the greatest and the least number, divided by the median. 0 if the median is 0. */
export const spread = (numbers: readonly number[]): number => {
  const middle = median(numbers);
  return middle === 0 ? 0 : (Math.max(...numbers) - Math.min(...numbers)) / middle;
};
