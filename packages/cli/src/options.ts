import { portProblem, toUrl, urlPortProblem } from '@crm/domain';
import { InvalidArgumentError, type Command } from 'commander';

/** Options of every command that prints a result. */
export interface OutputOptions {
  readonly json?: boolean;
}

/** Adds `--json`. */
export const withJson = (command: Command): Command => command.option('--json', 'print only one JSON object on stdout');

/** Reads an option that is a whole number from `least` to `most`. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`);
  };

const sentence = (problem: string): string => `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;

/** Reads an option that is a port to listen on; 0 is any free port. */
export const portNumber = (text: string): number => {
  const port = wholeNumber(0, 65_535)(text);
  const problem = portProblem(port);
  if (problem !== null) throw new InvalidArgumentError(sentence(problem));
  return port;
};

/** Reads an option that is an http(s) address; a trailing slash is dropped. */
export const httpUrl = (text: string): string => {
  const url = toUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Must be an address such as http://127.0.0.1:4001.');
  }
  const problem = urlPortProblem(url);
  if (problem !== null) throw new InvalidArgumentError(sentence(problem));
  return text.replace(/\/+$/, '');
};
