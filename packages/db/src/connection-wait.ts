import type pg from 'pg';

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/** Tells how long each statement or session waited until it had a connection of the pool, in milliseconds. */
export const measureConnectionWait = (pool: pg.Pool, onWait: (waitMs: number) => void): void => {
  const connect = pool.connect.bind(pool);
  const measured = (callback?: Callback): Promise<pg.PoolClient> | undefined => {
    const startedAtMs = performance.now();
    const done = (): void => onWait(performance.now() - startedAtMs);
    if (callback === undefined) return connect().finally(done);
    connect((error, client, release) => {
      done();
      callback(error, client, release);
    });
    return undefined;
  };
  // `pool.query` takes its connection with this method too.
  pool.connect = measured as typeof pool.connect;
};
