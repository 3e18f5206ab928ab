const minuteS = 60;
const hourS = 60 * minuteS;

const rounded = (seconds: number): string => {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 90 * minuteS) return `${Math.round(seconds / minuteS)} min`;
  return `${(seconds / hourS).toFixed(1)} h`;
};

/**
 * Estimates the remaining time from the pace so far: `about 3 min left`. Empty if no estimate is possible yet.
 *
 * @param fraction - the completed part of the work, from 0 to 1
 * @param seconds - the time spent so far
 */
export const timeLeft = (fraction: number, seconds: number): string => {
  if (!(fraction > 0) || fraction >= 1 || !(seconds >= 1)) return '';
  return `about ${rounded((seconds * (1 - fraction)) / fraction)} left`;
};
