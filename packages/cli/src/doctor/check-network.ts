import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { toUrl } from '@crm/domain';
import { errorText } from '../errors.js';
import { ok, problem, type Finding } from './finding.js';

const timeoutMs = 3_000;

/** Encodes commands in the Redis protocol. Each command is a list of words. */
const toProtocol = (commands: readonly (readonly string[])[]): string =>
  commands
    .map((words) => `*${words.length}\r\n${words.map((w) => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join('')}`)
    .join('');

const openSocket = (url: URL): Socket => {
  const port = Number(url.port || 6379);
  return url.protocol === 'rediss:'
    ? connectTls({ host: url.hostname, port, servername: url.hostname })
    : connectPlain({ host: url.hostname, port });
};

/** Signs in if the address has a password, and sends PING. @returns the error that Redis answered, if any */
const pingRedis = (url: URL): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const user = url.username === '' ? [] : [decodeURIComponent(url.username)];
    const signIn = url.password === '' ? [] : [['AUTH', ...user, decodeURIComponent(url.password)]];
    const socket = openSocket(url).setTimeout(timeoutMs);
    let answer = '';
    const settle = (act: () => void): void => {
      socket.destroy();
      act();
    };
    socket.on('error', (error) => settle(() => reject(error)));
    socket.on('timeout', () => settle(() => reject(new Error(`no answer within ${timeoutMs} ms`))));
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      const refusal = /^-(.*)\r\n/m.exec(answer)?.[1];
      if (refusal !== undefined) settle(() => resolve(refusal));
      else if (answer.includes('+PONG')) settle(() => resolve(undefined));
    });
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.write(toProtocol([...signIn, ['PING']]));
  });

/** Checks the Redis server that processes share to count rate limits. */
export const checkRedis = async (address: string): Promise<Finding> => {
  const advice = 'Start Redis or correct REDIS_URL. Until then each process counts rate limits separately.';
  const url = toUrl(address);
  if (url === null) return problem('redis', 'REDIS_URL is not an address', advice);
  try {
    const refusal = await pingRedis(url);
    return refusal === undefined
      ? ok('redis', `${url.host} answers`)
      : problem('redis', `${url.host} refuses: ${refusal}`, advice);
  } catch (error) {
    return problem('redis', `${url.host} cannot be used: ${errorText(error)}`, advice);
  }
};

/** Checks whether a gateway reports that it is ready. */
export const checkGateway = async (name: string, address: string): Promise<Finding> => {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return ok(name, `${address} is ready`);
    const advice = 'The reason is in err of its log line for /readyz. Usually it cannot reach its database.';
    return problem(name, `${address}/readyz answers ${response.status}`, advice);
  } catch (error) {
    const advice =
      'Check that it is running and that this is its HOST and PORT. If it stopped, its log has the reason.';
    return problem(name, `${address} does not answer: ${errorText(error)}`, advice);
  }
};
