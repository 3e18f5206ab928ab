import pg from 'pg';
import { clientUrl, sessionOptions } from './server-address.js';

/** A client of `pg` for one command, with the isolation level of all sessions. It has no time limits, unlike those of a `Database`. */
export const createClient = (url: string, applicationName: string): pg.Client =>
  new pg.Client({ connectionString: clientUrl(url), application_name: applicationName, ...sessionOptions(url) });
