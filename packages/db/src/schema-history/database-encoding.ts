/** The statement that returns the encoding of the database as `encoding`. */
export const encodingSql = "SELECT current_setting('server_encoding') AS encoding";

/** Why a database with this encoding cannot be used; null if it can. */
export const encodingProblem = (encoding: string): string | null =>
  encoding === 'UTF8'
    ? null
    : `The database has the encoding ${encoding}, which cannot store every text: create one with ENCODING 'UTF8' TEMPLATE template0`;

/**
 * Checks the encoding before anything is changed.
 * @throws Error that names the encoding, unless it is UTF8
 */
export const refuseOtherEncodings = async (client: {
  query(text: string): Promise<{ readonly rows: readonly { readonly encoding?: string }[] }>;
}): Promise<void> => {
  const { rows } = await client.query(encodingSql);
  const problem = encodingProblem(rows[0]?.encoding ?? 'unknown');
  if (problem !== null) throw new Error(problem);
};
