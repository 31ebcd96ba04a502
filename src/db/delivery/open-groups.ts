import { ENVIRONMENTS, type Environment } from '../../domain/tenant.ts'
import type { SystemDb } from '../connection/connection.ts'
import { rawSql, readRows, sql } from '../connection/statements.ts'

/** The open deliveries of one tenant with the same status. */
export type OpenGroup = {
  readonly companyId: string
  readonly environment: Environment
  readonly status: 'pending' | 'retrying'
}

/**
 * The groups of the next companies, ordered by id. For each company it reads four index entries, however many
 * deliveries wait. With GROUP BY the server would decide whether to skip from group to group or to read the whole
 * index.
 *
 * @param after id of the company after which to begin
 * @param limit how many companies
 * @returns `next`: the `after` of the next page; undefined if there is no next page
 */
export async function listOpenGroups(
  db: SystemDb,
  after: string,
  limit: number,
): Promise<{ groups: OpenGroup[]; next: string | undefined }> {
  const companies = await readRows<CompanyRow>(db)`
    SELECT c.id, ${SEEKS}
      FROM (SELECT id FROM companies WHERE id > ${after} ORDER BY id LIMIT ${limit}) c ORDER BY c.id`
  const groups = companies.flatMap((company) =>
    GROUPS_OF_COMPANY.flatMap(({ name, environment, status }) =>
      company[name] === null ? [] : [{ companyId: company.id, environment, status }],
    ),
  )
  return { groups, next: companies.length < limit ? undefined : companies.at(-1)?.id }
}

type CompanyRow = { id: string } & Record<string, unknown>

const GROUPS_OF_COMPANY = ENVIRONMENTS.flatMap((environment) =>
  (['pending', 'retrying'] as const).map((status) => ({
    name: `${environment}_${status}`,
    environment,
    status,
  })),
)

const SEEKS = GROUPS_OF_COMPANY.map(
  ({ name, environment, status }) => sql`
    (SELECT 1 FROM deliveries d FORCE INDEX (deliveries_tenant)
      WHERE d.company_id = c.id AND d.environment = ${environment} AND d.status = ${status}
      LIMIT 1) AS ${rawSql(name)}`,
)
