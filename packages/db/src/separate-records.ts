const comma = Buffer.from(',');

/** Puts a comma between records. The caller sends the parts in order, so each record is copied only once: into the response body. */
export const separateRecords = (records: readonly Buffer[]): Buffer[] =>
  records.flatMap((record, index) => (index === 0 ? record : [comma, record]));
