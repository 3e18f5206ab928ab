import { databaseUrlProblem, nearestName, portProblem, toUrl, urlPortProblem } from '@crm/domain';
/** A process environment, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The exit code of a process whose configuration is wrong (EX_CONFIG of sysexits.h). */
export const configurationExitCode = 78;

/** Reports all problems of an environment together. The text never contains values, because they may be secrets. */
export class EnvironmentError extends Error {
  readonly exitCode = configurationExitCode;

  constructor(readonly problems: readonly string[]) {
    const list = problems.map((problem) => `  - ${problem}`).join('\n');
    super(`Wrong configuration:\n${list}\nWhat each variable may be: docs/operating.md, Configuration`);
    this.name = 'EnvironmentError';
  }
}

/** Bounds and default of an integer variable. */
interface IntegerRules {
  readonly min: number;
  readonly max: number;
  /** The value if the variable is not set; without a fallback the variable is required. */
  readonly fallback?: number;
}

/** What a URL variable may be. */
interface UrlRules {
  /** Allowed schemes without the colon, as `['postgres', 'postgresql']`. */
  readonly schemes: readonly string[];
}

/** Reads typed variables and collects their problems. For an invalid variable it returns a placeholder. */
export class EnvironmentReader {
  readonly #env: Environment;
  readonly #problems: string[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The problems so far. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Adds a problem that only the caller can see, such as two variables that contradict each other. */
  problem(name: string, text: string): void {
    this.#problems.push(`${name} ${text}`);
  }

  /** A text; required without a fallback. */
  string(name: string, fallback?: string): string {
    const value = this.#raw(name) ?? fallback;
    if (value === undefined) this.problem(name, 'is required');
    return value ?? '';
  }

  /** A text that may be absent. */
  optionalString(name: string): string | undefined {
    return this.#raw(name);
  }

  /** A whole number in decimal digits within its bounds. */
  integer(name: string, rules: IntegerRules): number {
    const value = this.#raw(name);
    if (value === undefined) {
      if (rules.fallback === undefined) this.problem(name, 'is required');
      return rules.fallback ?? rules.min;
    }
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= rules.min && number <= rules.max) return number;
    this.problem(name, `must be a whole number from ${rules.min} to ${rules.max}`);
    return rules.min;
  }

  /** A port that callers can reach with `fetch`. */
  port(name: string, rules: Pick<IntegerRules, 'min' | 'fallback'>): number {
    const known = this.#problems.length;
    const port = this.integer(name, { ...rules, max: 65_535 });
    const problem = portProblem(port);
    if (problem !== null && this.#problems.length === known) this.problem(name, problem);
    return port;
  }

  /** `true`, `false`, `1` or `0`. */
  boolean(name: string, fallback: boolean): boolean {
    const value = this.#raw(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (value === 'true' || value === '1') return true;
    if (value !== 'false' && value !== '0') this.problem(name, 'must be true or false');
    return false;
  }

  /** One of several words. */
  choice<const Word extends string>(name: string, words: readonly Word[], fallback: Word): Word {
    const value = this.#raw(name);
    if (value === undefined) return fallback;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) this.problem(name, `must be one of ${words.join(', ')}`);
    return word ?? fallback;
  }

  /** A URL of one of the schemes, as given, that may be absent. */
  optionalUrl(name: string, rules: UrlRules): string | undefined {
    const value = this.#raw(name);
    if (value === undefined) return undefined;
    const url = toUrl(value);
    if (url !== null && rules.schemes.includes(url.protocol.slice(0, -1))) {
      const problem = urlPortProblem(url);
      if (problem !== null) this.problem(name, problem);
      return value;
    }
    this.problem(name, `must be a URL that starts with ${rules.schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    return undefined;
  }

  /** A required address of PostgreSQL, as given. */
  databaseUrl(name: string): string {
    const value = this.optionalDatabaseUrl(name);
    if (value === undefined && this.#raw(name) === undefined) this.problem(name, 'is required');
    return value ?? '';
  }

  /** An address of PostgreSQL, as given, that may be absent. */
  optionalDatabaseUrl(name: string): string | undefined {
    const value = this.#raw(name);
    const problem = value === undefined ? null : databaseUrlProblem(value);
    if (problem === null) return value;
    this.problem(name, problem);
    return undefined;
  }

  /** The comma-separated parts, trimmed, none empty; required without a fallback. */
  list(name: string, fallback?: readonly string[]): readonly string[] {
    const value = this.#raw(name);
    if (value === undefined) {
      if (fallback === undefined) this.problem(name, 'is required');
      return fallback ?? [];
    }
    const parts = value.split(',').map((part) => part.trim());
    if (parts.includes('')) this.problem(name, 'has an empty part');
    return parts;
  }

  /** An empty variable counts as not set: compose files pass `NAME=` for variables without a value. */
  #raw(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' ? undefined : value;
  }
}

/**
 * Builds a configuration from an environment; pure.
 * @throws EnvironmentError that names every problem.
 */
export const readEnvironment = <Config>(env: Environment, build: (read: EnvironmentReader) => Config): Config => {
  const reader = new EnvironmentReader(env);
  const config = build(reader);
  if (reader.problems.length > 0) throw new EnvironmentError(reader.problems);
  return config;
};

/** Reads a configuration. @returns it with the names of the variables that it looked for, set or not */
export const readWithNames = <Config>(
  env: Environment,
  envToConfig: (env: Environment) => Config,
): { readonly config: Config; readonly names: readonly string[] } => {
  const names = new Set<string>();
  const recording = new Proxy(env, {
    get(target, name) {
      if (typeof name !== 'string') return undefined;
      names.add(name);
      return target[name];
    },
  });
  return { config: envToConfig(recording), names: [...names] };
};

/** Shorter names, such as HOST, are near those of other programs. */
const shortestCompared = 8;

/** The variables that are set but probably misspelled: `[given, meant]`, such as `['CRM_LOG_LEVEL', 'LOG_LEVEL']`. */
export const misspelledNames = (env: Environment, names: readonly string[]): readonly (readonly [string, string])[] => {
  const compared = names.filter((name) => name.length >= shortestCompared);
  return Object.keys(env).flatMap((given) => {
    if (names.includes(given)) return [];
    const meant = nearestName(given, compared) ?? nearestName(given.replace(/^CRM_/, ''), compared);
    return meant === undefined ? [] : [[given, meant] as const];
  });
};

/**
 * Reads the configuration from this process's environment, and warns about names that are probably misspelled. If it is invalid, ends the
 * process with code 78.
 */
export const loadConfig = <Config>(envToConfig: (env: Environment) => Config): Config => {
  try {
    const { config, names } = readWithNames(process.env, envToConfig);
    for (const [given, meant] of misspelledNames(process.env, names)) {
      process.stderr.write(`Warning: the variable ${given} is not known and has no effect. Did you mean ${meant}?\n`);
    }
    return config;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(error.exitCode);
  }
};
