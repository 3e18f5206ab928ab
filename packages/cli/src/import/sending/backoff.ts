const firstDelayMs = 100;
const longestDelayMs = 10_000;

/**
 * The wait before the next attempt, in milliseconds. It doubles from 100 ms to 10 s, less a random part of up to half,
 * so that workers that failed together do not retry together. It is never shorter than the server asks.
 */
export const retryDelayMs = (attempt: number, retryAfterMs = 0, random: () => number = Math.random): number => {
  const ceilingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.max(Math.min(retryAfterMs, longestDelayMs * 6), ceilingMs * (0.5 + random() / 2));
};
