const firstDelayMs = 100;
const longestDelayMs = 10_000;

/**
 * How long to wait before the next attempt, in milliseconds: doubling from 100 ms to 10 s, of which a random half is
 * taken off so that workers which failed together do not come back together. What the server asks for is a lower bound.
 */
export const retryDelayMs = (attempt: number, retryAfterMs = 0, random: () => number = Math.random): number => {
  const ceilingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.max(Math.min(retryAfterMs, longestDelayMs * 6), ceilingMs * (0.5 + random() / 2));
};
