// Prints for each library and case whether the library accepts it.
import { readFileSync } from 'node:fs';
import * as standard from 'standardwebhooks';
import * as svix from 'svix';

const accepts = ({ Webhook }, { secret, headers, body }) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};
const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const of = (library) => cases.map((one) => accepts(library, one));
console.log(JSON.stringify({ standardwebhooks: of(standard), svix: of(svix) }));
