import { cpus, totalmem, type as systemName, release } from 'node:os';

/** The machine of the measurements. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gib: number;
  readonly system: string;
  readonly node: string;
}

/** Describes this machine. */
export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory_gib: Math.round(totalmem() / 1024 ** 3),
  system: `${systemName()} ${release().split('.').slice(0, 2).join('.')}`,
  node: process.version,
});
