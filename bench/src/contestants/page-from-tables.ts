import { pageScope } from './page.js';

/**
 * A statement that builds a page from the tables, with one JSON text per record. An API that does not store finished
 * records would work like this. As in the gateway, the statement reads one record more than the page shows.
 */
export const pageFromTablesSql = (size: number, limit: number): string => {
  const { organizationId, pipelineId } = pageScope(size);
  return `
    SELECT '{"id":"' || o.id || '","name":' || to_json(o.name) || ',"pipeline_id":"' || o.pipeline_id
        || '","stage_id":' || coalesce('"' || o.stage_id || '"', 'null')
        || ',"stage_name":' || coalesce(to_json(s.label)::text, 'null')
        || ',"account_id":' || coalesce('"' || o.account_id || '"', 'null')
        || ',"contact_id":' || coalesce('"' || o.contact_id || '"', 'null')
        || ',"additional_contacts":[' || coalesce(a.contacts, '') || '],"custom_fields":' || o.custom_fields || '}' AS record
      FROM (SELECT * FROM opportunities
             WHERE organization_id = '${organizationId}' AND pipeline_id = '${pipelineId}'
             ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}) o
      LEFT JOIN stages s ON s.organization_id = o.organization_id AND s.id = o.stage_id
      LEFT JOIN LATERAL (
        SELECT string_agg('{"contact_id":"' || c.id
                 || '","contact_first_name":' || coalesce(to_json(c.first_name)::text, 'null')
                 || ',"contact_last_name":' || coalesce(to_json(c.last_name)::text, 'null')
                 || ',"contact_email":' || to_json(c.email) || '}', ',' ORDER BY l.position) AS contacts
          FROM opportunity_contacts l
          JOIN contacts c ON c.organization_id = l.organization_id AND c.id = l.contact_id
         WHERE l.organization_id = o.organization_id AND l.opportunity_id = o.id) a ON true
     ORDER BY o.created_at DESC, o.id DESC`;
};
