const comma = Buffer.from(',');

/** Records with a comma between each two, to be sent one after the other: they are copied once, into the body of the answer. */
export const separateRecords = (records: readonly Buffer[]): Buffer[] =>
  records.flatMap((record, index) => (index === 0 ? record : [comma, record]));
