import { createLogger } from '@crm/http';
import { describe, expect, it } from '@jest/globals';
import { UpkeepTask } from './upkeep.js';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly failures?: number;
}

/** A task whose runs end as listed: with a number, or with an error. */
const taskOf = (outcomes: readonly (number | 'fails')[]) => {
  const lines: Line[] = [];
  const write = (text: string): void => void lines.push(JSON.parse(text) as Line);
  const logger = createLogger({ level: 'debug', name: 'test', destination: { write } });
  let runs = 0;
  const run = (): Promise<number> => {
    const outcome = outcomes[runs++] ?? 0;
    return outcome === 'fails' ? Promise.reject(new Error('permission denied')) : Promise.resolve(outcome);
  };
  const task = new UpkeepTask({ name: 'retention', run, done: 'did it', failed: 'could not do it' }, logger);
  return {
    lines,
    task,
    runAll: async () => outcomes.reduce((before) => before.then(() => task.run()), Promise.resolve()),
  };
};

const fails = (count: number): 'fails'[] => Array.from({ length: count }, () => 'fails');
const debug = 20;
const info = 30;
const warn = 40;

describe('an upkeep task', () => {
  it('that fails is logged as a warning once, at the third failure in a row', async () => {
    const { lines, runAll } = taskOf(fails(5));
    await runAll();
    expect(lines.map(({ level }) => level)).toEqual([debug, debug, warn, debug, debug]);
    expect(lines[2]).toMatchObject({ msg: 'could not do it', failures: 3, err: { message: 'permission denied' } });
  });

  it('that succeeds between failures is not logged as a warning', async () => {
    const { lines, runAll } = taskOf([...fails(2), 0, ...fails(2)]);
    await runAll();
    expect(lines.map(({ level }) => level)).toEqual([debug, debug, debug, debug]);
  });

  it('is logged when it succeeds again after a warning', async () => {
    const { lines, runAll } = taskOf([...fails(4), 0, ...fails(3)]);
    await runAll();
    expect(lines.map(({ level }) => level)).toEqual([debug, debug, warn, debug, info, debug, debug, warn]);
  });

  it('has the age of its last success, which a failure does not change', async () => {
    const { task } = taskOf([0, 'fails']);
    const [start, pause] = [task.ageSeconds, () => new Promise((resolve) => setTimeout(resolve, 20))];
    await pause();
    const beforeSuccess = task.ageSeconds;
    await task.run();
    const afterSuccess = task.ageSeconds;
    await pause();
    await task.run();
    expect(start).toBeLessThan(beforeSuccess);
    expect(afterSuccess).toBeLessThan(beforeSuccess);
    expect(task.ageSeconds).toBeGreaterThan(afterSuccess);
  });
});
