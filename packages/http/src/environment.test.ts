import { describe, expect, it } from '@jest/globals';
import {
  EnvironmentError,
  misspelledNames,
  readEnvironment,
  readWithNames,
  type Environment,
  type EnvironmentReader,
} from './environment.js';
import { readGatewaySettings } from './gateway-settings.js';

const build = (read: EnvironmentReader) => ({
  databaseUrl: read.databaseUrl('DATABASE_URL'),
  secrets: read.list('CURSOR_SECRETS'),
  unsafe: read.boolean('ALLOW_UNSAFE_DURABILITY', false),
  ...readGatewaySettings(read, { port: 4000 }),
});

const problemsOf = (env: Environment): readonly string[] => {
  try {
    readEnvironment(env, build);
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems;
    throw error;
  }
  return [];
};

const good = { DATABASE_URL: 'postgres://crm:secret@db/crm', CURSOR_SECRETS: 'one, two' };

describe('reading an environment', () => {
  it('uses the default for a variable that is not set or empty', () => {
    expect(readEnvironment({ ...good, PORT: '', REDIS_URL: ' ' }, build)).toEqual({
      databaseUrl: good.DATABASE_URL,
      redisUrl: undefined,
      secrets: ['one', 'two'],
      unsafe: false,
      host: '127.0.0.1',
      port: 4000,
      admin: undefined,
      tracing: undefined,
      trustProxy: false,
      logLevel: 'info',
      maxInFlight: 256,
      maxBytesInFlight: 67_108_864,
      maxBulkPerOrganization: 4,
      shutdownDelayMs: 0,
      maxEventLoopDelayMs: 500,
      rateLimits: { list: 1200, search: 600, inbound: 1500, bulk: 120, failedAuth: 30 },
    });
  });

  it('reads the variables that are set', () => {
    const env = { ...good, PORT: '0', RATE_LIMIT_FAILED_AUTH: '0', ALLOW_UNSAFE_DURABILITY: '1', LOG_LEVEL: 'warn' };
    expect(readEnvironment(env, build)).toMatchObject({ port: 0, unsafe: true, logLevel: 'warn' });
    expect(readEnvironment({ ...good, SHUTDOWN_DELAY_MS: '5000' }, build).shutdownDelayMs).toBe(5_000);
    expect(readEnvironment({ ...good, TRUST_PROXY: '2' }, build).trustProxy).toBe(2);
    expect(readEnvironment({ ...good, TRUST_PROXY: '10.0.0.0/8, ::1' }, build).trustProxy).toEqual([
      '10.0.0.0/8',
      '::1',
    ]);
  });

  it('reads where metrics are served and traces are sent', () => {
    const env = {
      ...good,
      ADMIN_PORT: '9464',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(readEnvironment(env, build)).toMatchObject({
      admin: { host: '127.0.0.1', port: 9464 },
      tracing: { url: 'http://collector:4318/v1/traces', sampledShare: 0.25 },
    });
    expect(problemsOf({ ...good, PORT: '9464', ADMIN_PORT: '9464' })).toEqual(['ADMIN_PORT must differ from PORT']);
  });

  it.each([
    'postgres://crm@db',
    'POSTGRESQL://crm:p%2Cw@db:6432/crm?pgbouncer=true',
    'postgres://crm:a,b@db/crm?application_name=a,b',
    'postgres:///crm?host=/var/run/postgresql&target_session_attrs=any',
  ])('accepts %s as an address of a database', (url) => {
    expect(readEnvironment({ ...good, DATABASE_URL: url }, build).databaseUrl).toBe(url);
  });

  it.each([
    [
      'postgres://crm@a:5432,b:5433/crm?target_session_attrs=read-write',
      'has several hosts, and a process connects to',
    ],
    ['postgres://a,b/crm', 'has several hosts'],
    ['postgres:///crm?host=a,b', 'has several hosts'],
    ['postgres://crm@a/crm?port=5432,5433', 'has several hosts'],
    [
      'postgres://crm@a/crm?target_session_attrs=primary',
      'has target_session_attrs, which chooses among several hosts',
    ],
    ['crm@a/crm', 'must be a URL of the form postgres://'],
    ['postgres://a:port/crm', 'must be a URL of the form postgres://'],
  ])('refuses %s as an address of a database by name', (url, text) => {
    const [problem, ...more] = problemsOf({ ...good, DATABASE_URL: url });
    expect([problem, more]).toEqual([expect.stringContaining(`DATABASE_URL ${text}`), []]);
  });

  it('names every problem at once and shows no value', () => {
    const env = {
      DATABASE_URL: 'mysql://crm:secret@db/crm',
      REDIS_URL: 'secret',
      PORT: '65536',
      RATE_LIMIT_LIST: '1e3',
      ALLOW_UNSAFE_DURABILITY: 'secret',
      TRUST_PROXY: 'true',
      LOG_LEVEL: 'secret',
      ADMIN_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'secret',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'secret',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    };
    const problems = problemsOf(env);
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(
      [...Object.keys(env), 'CURSOR_SECRETS'].sort(),
    );
    expect(new EnvironmentError(problems).message).not.toContain('secret');
    expect(new EnvironmentError(problems).exitCode).toBe(78);
  });

  it.each([
    ['PORT', '5060', 'must not be 5060'],
    ['ADMIN_PORT', '6000', 'must not be 6000'],
    ['OTHER_GATEWAY_URL', 'https://crm.example.com:6667', 'must not have the port 6667'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:10080', 'must not have the port 10080'],
  ])('names a port that fetch refuses: %s=%s', (name, value, text) => {
    const [problem, ...more] = problemsOf({ ...good, [name]: value });
    expect([problem, more]).toEqual([expect.stringContaining(`${name} ${text}: fetch and browsers refuse`), []]);
  });

  it.each(['10.0.0.0/33', '300.1.1.1', '10.0.0.0/8/8', '*', '100'])('refuses to trust %j', (value) => {
    expect(problemsOf({ ...good, TRUST_PROXY: value })).toHaveLength(1);
  });

  it.each([
    '0.0.0.0/0',
    '10.1.2.3/0',
    '::/0',
    '::1/0',
    '10.0.0.0/8, ::/0',
    '128.0.0.0/1, 0.0.0.0/1',
    '0.0.0.0/2, 64.0.0.0/2, 128.0.0.0/2, 192.0.0.0/3',
    '::ffff:0:0/96',
    '2000::/3',
    '2000::/4, 3000::/4',
  ])('refuses to trust every address: %j', (value) => {
    const text = 'TRUST_PROXY must not contain every address: each caller could then choose the address that counts';
    expect(problemsOf({ ...good, TRUST_PROXY: value })).toEqual([text]);
  });

  it.each([
    '0.0.0.0/1, 192.0.0.0/2',
    '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7',
    '2000::/4',
    '::ffff:10.0.0.0/104',
  ])('trusts %j', (value) => {
    expect(problemsOf({ ...good, TRUST_PROXY: value })).toEqual([]);
  });
});

describe('the names of variables', () => {
  const { names } = readWithNames(good, (env) => readEnvironment(env, build));

  it('are those that the configuration looked for, set or not', () => {
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'CURSOR_SECRETS', 'ADMIN_PORT', 'RATE_LIMIT_BULK']));
  });

  it.each<[given: string, meant: string | null]>([
    ['RATE_LIMITS_LIST', 'RATE_LIMIT_LIST'],
    ['CURSOR_SECRET', 'CURSOR_SECRETS'],
    ['REDIS_URI', 'REDIS_URL'],
    ['CRM_LOG_LEVEL', 'LOG_LEVEL'],
    ['LOG_LEVEL', null],
    ['READ_DATABASE_URL', null],
    ['POST', null],
    ['CRM_DATA_DIR', null],
  ])('%s probably means %s', (given, meant) => {
    expect(misspelledNames({ [given]: 'x' }, names)).toEqual(meant === null ? [] : [[given, meant]]);
  });
});
