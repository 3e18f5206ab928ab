import { instantText } from '../page/order.js';

/** The values of an event in bytes, and at most what {@link eventJson} adds to them. */
export const eventBytes = 'e.bytes + 600';

/**
 * The record of an event. An event with a `base_position` stores only its difference from the record in that event. It has no record if the
 * values of that event were erased.
 */
const recordSql = `CASE WHEN e.base_position IS NULL THEN e.record ELSE (
  SELECT changed_event_record(b.record, e.record) FROM events b WHERE b.organization_id = $1 AND b.position = e.base_position
     AND b.occurred_at >= event_week(e.occurred_at) AND b.occurred_at <= e.occurred_at) END`;

const ofDeletion = (isWanted: boolean): string =>
  `CASE WHEN e.merged_with IS NOT NULL AND (e.type LIKE '%.deleted') = ${isWanted} THEN e.merged_with END`;
/** Of the deletion of a merged record, the record that it was merged into. */
export const mergedInto = ofDeletion(true);
/** Of a `merged` event, the record that was merged into its record. */
export const mergedFrom = ofDeletion(false);

/**
 * An event of the table `e` as JSON text, as the API returns it. The query must have the column `h.log_id`. `record` and `previous` are copied unchanged. Concatenation takes half the
 * time of `json_build_object`. It is safe because only `request_id` can contain characters that JSON escapes. The parentheses matter:
 * each `||` copies its left side, so a record before ten of them would be copied ten times.
 */
export const eventJson = `('{"id":"' || e.id || '","log_id":"' || h.log_id || '","position":' || e.position || ',"type":"' || e.type
  || '","object":"' || e.object || '","record_id":"' || e.record_id || '","version":' || e.version
  || ',"occurred_at":"' || ${instantText('e.occurred_at')} || '","record":') || coalesce((${recordSql})::text, 'null')
  || (',"previous":' || coalesce(e.previous::text, 'null') || (',"changed":' || array_to_json(e.changed)
  || ',"request_id":' || coalesce(to_json(e.request_id)::text, 'null')
  || ',"api_key_id":' || coalesce('"' || e.api_key_id || '"', 'null')
  || ',"merged_into":' || coalesce('"' || ${mergedInto} || '"', 'null')
  || ',"merged_from":' || coalesce('"' || ${mergedFrom} || '"', 'null') || '}'))`;

/**
 * The condition of a filter on changed fields, for an event of the table `e`. Only an `updated` event whose fields are all others does
 * not pass: an event with erased values passes too, because its fields are unknown.
 *
 * `{stage_id,amount}` → `(e.type NOT LIKE '%.updated' OR e.is_erased OR e.changed && $4::text[])`
 *
 * @param names - the placeholder of the names
 */
export const passesChanged = (names: string): string =>
  `(e.type NOT LIKE '%.updated' OR e.is_erased OR e.changed && ${names}::text[])`;
