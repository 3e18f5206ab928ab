import { type OrganizationSetup, opportunityCreate } from '@crm/db';
import { changeOf } from '@crm/domain';
import type { BenchRequest } from '../harness/programs.js';
import type { Gateway } from './gateways.js';

/** The request for a new deal with a new account and two new contacts. `mark` distinguishes deals. */
export const dealRequest = (
  { headers }: Pick<Gateway, 'headers'>,
  pipelineId: string,
  mark: string,
): Required<Pick<BenchRequest, 'path' | 'headers' | 'body'>> => ({
  path: '/v1/inbound/opportunities',
  headers,
  body: JSON.stringify({
    pipeline_id: pipelineId,
    opportunity: { name: `Deal ${mark}`, deal_size: 1200 },
    related_objects: {
      account_domain: `bench${mark}.com`,
      primary_contact_email: `first@bench${mark}.com`,
      additional_contact_emails: [`second@bench${mark}.com`],
    },
  }),
});

/** The placeholder of the random number. */
const markToReplace = '4815162342';

/** The statement that the gateway runs for such a deal, for pgbench. The mark of each deal is a random number. */
export const dealSql = (setup: OrganizationSetup, pipelineId: string): string => {
  const pipeline = setup.findPipeline(pipelineId);
  if (pipeline === undefined) throw new Error('The pipeline does not exist');
  const domain = `bench${markToReplace}.com`;
  const deal = changeOf('opportunity', {
    name: `Deal ${markToReplace}`,
    amount: 1200,
    account_domain: domain,
    contact_email: `first@${domain}`,
    additional_contacts: [`second@${domain}`],
  });
  const { function: name, input } = opportunityCreate(setup, pipeline, deal, 'keep');
  // Formatted with spaces, because pgbench reads a colon followed by letters as a variable.
  const json = JSON.stringify(input, null, 1).replaceAll("'", "''").replaceAll(markToReplace, `' || :random || '`);
  return `SELECT result, replayed FROM write('${setup.organizationId}', '${name}', ('${json}')::jsonb, NULL)`;
};
