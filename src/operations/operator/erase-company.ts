import { insertAudit } from '../../db/audit.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { withBreath } from '../../db/connection/stopped.ts'
import {
  countEndingWebhooks,
  eraseAnswers,
  eraseCommands,
  eraseRows,
  PEOPLE,
  removeCompany,
  THINGS,
} from '../../db/purge/company.ts'
import { countLiveWorkers } from '../../db/workers.ts'
import type { Actor } from '../../domain/actor.ts'
import { ApiError } from '../../domain/errors.ts'
import type { SystemDeps } from '../../deps/deps.ts'

/*
 * The deletion of a company has these five steps. Each may be repeated, so after a kill the same command goes on where
 * it was.
 *
 * 1. The company is suspended (companies.ts): its keys are refused, and nothing is sent. The audit says who deletes it.
 * 2. Its sessions, keys and users are erased, so that nobody makes anything new. Earlier requests run to their end.
 * 3. Its webhooks are deleted as if their owner did it. A worker ends their deliveries and cancels their workflows.
 * 4. Everything else is erased, in pages, until a whole pass finds nothing.
 * 5. One transaction removes the company and writes that to the audit. The audit stays for AUDIT_RETENTION_DAYS.
 */

/** How many rows one transaction erases. They are few, so that locks are short. */
const PAGE = 500

/** How many rows were erased so far, by table. */
export type Erased = Readonly<Record<string, number>>

/** The audit entry of step 1. The caller suspends the company. */
export const noteDeletion = ({ db, clock }: SystemDeps, actor: Actor, id: string): Promise<void> =>
  insertAudit(db, { companyId: id, at: clock(), actor, action: 'company.delete', targetId: id })

/** Step 2. */
export const erasePeople = (deps: SystemDeps, id: string, onErased: (erased: Erased) => void) =>
  eraseTables(deps, id, PEOPLE, onErased)

/**
 * Step 3: how many webhooks have deliveries that a worker must still end.
 *
 * @throws ApiError SERVICE_UNAVAILABLE when there are some and no worker lives
 */
export async function countUnderWay({ db }: SystemDeps, id: string): Promise<number> {
  const webhooks = await countEndingWebhooks(db, id)
  if (webhooks === 0 || (await countLiveWorkers(db)) > 0) return webhooks
  throw new ApiError(
    'SERVICE_UNAVAILABLE',
    `No worker lives to end the deliveries of ${webhooks} webhooks: start one, then run the command again.`,
  )
}

/** Steps 4 and 5. */
export async function eraseRest(
  deps: SystemDeps,
  actor: Actor,
  id: string,
  onErased: (erased: Erased) => void,
): Promise<Erased> {
  const { db, clock } = deps
  const erased = await eraseTables(deps, id, [...PEOPLE, ...THINGS], onErased)
  for (let after: Buffer | undefined = Buffer.alloc(0); after;)
    after = await eraseAnswers(db, id, after, PAGE)
  while ((await withBreath(() => eraseCommands(db, id, PAGE))) > 0);
  await inTransaction(db, async (trx) => {
    await eraseCommands(trx, id, PAGE)
    await removeCompany(trx, id)
    const entry = { companyId: id, at: clock(), actor, action: 'company.erase' as const, targetId: id }
    await insertAudit(trx, { ...entry, details: erased })
  })
  return erased
}

/** Erases the company's rows, in passes, until a pass finds none: a request under way may write rows after a pass. */
async function eraseTables(
  { db }: SystemDeps,
  id: string,
  tables: readonly string[],
  onErased: (erased: Erased) => void,
): Promise<Erased> {
  const erased: Record<string, number> = {}
  for (let isEmpty = false; !isEmpty;) {
    isEmpty = true
    for (const table of tables) {
      const erase = () => withBreath(() => eraseRows(db, id, table, PAGE))
      for (let rows = await erase(); rows !== 0; rows = await erase()) {
        isEmpty = false
        erased[table] = (erased[table] ?? 0) + (rows ?? 0)
        onErased(erased)
      }
    }
  }
  return erased
}
