import { type AdministrationDatabase, openAdministrationDatabase, type TenantStatement } from '@crm/db';

/**
 * Runs `work` and returns its result, and the only statement that it sent.
 * @throws Error if it sent several statements or none
 */
export const captureStatement = async <T>(
  databaseUrl: string,
  work: (database: AdministrationDatabase) => Promise<(queries: AdministrationDatabase) => Promise<T>>,
): Promise<{ readonly statement: TenantStatement; readonly result: T }> => {
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'bench', maxConnections: 1 });
  const statements: TenantStatement[] = [];
  const query: AdministrationDatabase['query'] = (organizationId, statement) => {
    statements.push(statement);
    return database.query(organizationId, statement);
  };
  try {
    const captured = await work(database);
    const result = await captured({ ...database, query });
    const [statement, ...others] = statements;
    if (statement === undefined || others.length > 0) throw new Error(`${statements.length} statements, expected one`);
    return { statement, result };
  } finally {
    await database.close();
  }
};
