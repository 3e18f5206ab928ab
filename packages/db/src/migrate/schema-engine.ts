import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

type EngineModule = typeof import('@prisma/schema-engine-wasm/schema_engine_bg') & {
  __wbg_set_wasm(exports: object): void;
};

let engineModule: Promise<EngineModule> | undefined;

/**
 * The engine bounds its wait for a lock with a timer that it never takes back: it would keep whoever migrates alive for ten
 * seconds after the last migration.
 */
const withoutLingeringTimers = (bindings: EngineModule): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(bindings).map(([name, binding]) => {
      if (!name.startsWith('__wbg_setTimeout_')) return [name, binding];
      const start = binding as (...args: unknown[]) => NodeJS.Timeout;
      return [name, (...args: unknown[]) => start(...args).unref()];
    }),
  );

/**
 * Prisma's schema engine as WebAssembly, so that migrating downloads no binary. The package's own entry imports the
 * `.wasm` file as a module, which Node does only behind a flag: here the same two halves are joined by hand.
 */
const loadEngineModule = async (): Promise<EngineModule> => {
  const bindings = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as EngineModule;
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = await readFile(entry.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(wasm, {
    './schema_engine_bg.js': withoutLingeringTimers(bindings),
  });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
  return bindings;
};

/** What the server said, in the form in which the engine passes it on; of other errors it tells no more than that there was one. */
const toAdapterError = ({ code, severity, message, detail, column, hint }: pg.DatabaseError): DriverAdapterError =>
  new DriverAdapterError({
    kind: 'postgres',
    code: code ?? '',
    severity: severity ?? '',
    message,
    detail,
    column,
    hint,
  });

/**
 * Sends each migration as it is written. Prisma's own adapter cuts scripts at every semicolon, also inside functions; sent
 * whole, the server runs all of a migration's statements as one transaction, or none.
 */
class WholeScriptAdapter extends PrismaPg {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super(pool);
    this.#pool = pool;
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      try {
        await this.#pool.query(script);
      } catch (error) {
        throw error instanceof pg.DatabaseError ? toAdapterError(error) : error;
      }
    };
    return adapter;
  }
}

/**
 * Opens Prisma's schema engine on a database.
 *
 * @param pool - connections of a role that may create tables
 * @param schema - the text of `schema.prisma`
 */
export const openSchemaEngine = async (pool: pg.Pool, schema: string): Promise<SchemaEngine> => {
  const { SchemaEngine: Engine } = await (engineModule ??= loadEngineModule());
  const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScriptAdapter(pool));
  return Engine.new({ datamodels: [['schema.prisma', schema]] }, () => undefined, adapter);
};
