import { instantText } from '../page/order/sort-keys.js';

/**
 * An event of the table `e` as JSON text, as the API returns it. `record` and `previous` are copied unchanged. Concatenation takes half the
 * time of `json_build_object`. It is safe because only `request_id` can contain characters that JSON escapes.
 */
export const eventJson = `'{"id":"' || e.id || '","position":' || e.position || ',"type":"' || e.type
  || '","object":"' || e.object || '","record_id":"' || e.record_id || '","version":' || e.version
  || ',"occurred_at":"' || ${instantText('e.occurred_at')} || '","record":' || coalesce(e.record::text, 'null')
  || ',"previous":' || coalesce(e.previous::text, 'null') || ',"changed":' || array_to_json(e.changed)
  || ',"request_id":' || coalesce(to_json(e.request_id)::text, 'null')
  || ',"api_key_id":' || coalesce('"' || e.api_key_id || '"', 'null') || '}'`;
