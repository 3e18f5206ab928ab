import { describe, expect, it } from '@jest/globals';

import { formatSql } from './format-sql.js';

describe('formatSql', () => {
  it('gives each clause and each long subselect its own lines', () => {
    const sql = `SELECT r.id FROM (SELECT p.id FROM pipelines p) AS p
      CROSS JOIN LATERAL (SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = p.id AND r.amount > $2 LIMIT $3) r
      ORDER BY r.id LIMIT $3`;
    expect(formatSql(sql)).toBe(
      `
SELECT r.id
  FROM (SELECT p.id FROM pipelines p) AS p
 CROSS JOIN LATERAL (
    SELECT r.*
      FROM opportunities r
     WHERE r.organization_id = $1 AND r.pipeline_id = p.id AND r.amount > $2
     LIMIT $3
) r
 ORDER BY r.id
 LIMIT $3`.trim(),
    );
  });

  it('changes only white space', () => {
    const sql = 'SELECT (a + (b)) FROM ( (SELECT 1) UNION ALL (SELECT 2 WHERE x OR (y AND z)) ) t';
    const bare = (text: string): string => text.replace(/\s/g, '');
    expect(bare(formatSql(sql))).toBe(bare(sql));
  });
});
