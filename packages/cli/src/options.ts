import { toUrl } from '@crm/domain';
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

/** Reads an option that is an http(s) address; a trailing slash is dropped. */
export const httpUrl = (text: string): string => {
  if (/^https?:$/.test(toUrl(text)?.protocol ?? '')) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Must be an address such as http://127.0.0.1:4001.');
};
