const candidates = [',', ';', '\t', '|'] as const;
type Candidate = (typeof candidates)[number];

const mostRecords = 50;

/**
 * Guesses the delimiter: the candidate in the header that most records contain equally often. The default is a comma.
 *
 * @param isCut - whether the text ends in the middle of the file
 */
export const guessDelimiter = (text: string, isCut: boolean): string => {
  const records = countByRecord(text);
  if (isCut && records.length > 1) records.pop();
  const [header, ...rows] = records;
  if (header === undefined) return ',';
  const scored = candidates
    .map((delimiter) => {
      const inHeader = header[delimiter];
      const alike = rows.filter((counts) => counts[delimiter] === inHeader).length;
      return { delimiter, inHeader, share: rows.length === 0 ? 1 : alike / rows.length };
    })
    .filter(({ inHeader }) => inHeader > 0);
  scored.sort((one, other) => other.share - one.share || other.inHeader - one.inHeader);
  return scored[0]?.delimiter ?? ',';
};

type Counts = Record<Candidate, number>;

/** Counts each candidate outside of quotes, by record. Blank lines are not records. */
const countByRecord = (text: string): Counts[] => {
  const records: Counts[] = [];
  let counts: Counts | undefined;
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && (character === '\n' || character === '\r')) {
      counts = undefined;
      if (records.length > mostRecords) break;
      continue;
    }
    if (counts === undefined) records.push((counts = { ',': 0, ';': 0, '\t': 0, '|': 0 }));
    if (!isQuoted && isCandidate(character)) counts[character] += 1;
  }
  return records;
};

const isCandidate = (character: string): character is Candidate =>
  candidates.some((candidate) => candidate === character);
