import type { Db } from '../connection/connection.js'
import { COMMAND_LANE, PAGE_LANE } from '../outbox.js'

/** A lane of the outbox and the company whose rows wait there. A webhook's lanes have one company only. */
export type Lane = { readonly lane: string; readonly companyId: string }

/** Where a look begins: after these companies of the two shared lanes, and after this lane of a webhook. */
export type LookStart = {
  readonly afterCommandCompany: string
  readonly afterPageCompany: string
  readonly afterLane: string
  /** Lanes to look at whatever the window shows. */
  readonly also: readonly string[]
}

/** What a look found: all lanes that it came by, in order, those among them in which nothing is due yet included. */
export type Look = {
  readonly commands: readonly SeenLane[]
  readonly pages: readonly SeenLane[]
  readonly webhooks: readonly SeenLane[]
  readonly also: readonly SeenLane[]
}

export type SeenLane = Lane & { readonly isDue: boolean }

/** Lanes of webhooks that one look reads at most. */
export const LANES_PER_LOOK = 500
/** Companies that one look reads at most in each of the shared lanes. */
export const COMPANIES_PER_LOOK = 100

type Row = { part: keyof Look; lane: string; company_id: string; is_due: number }

/**
 * Looks which lanes have something due. One index entry is read per lane, the one with the earliest time, and no more
 * lanes than the windows hold. So a look costs the same whatever waits, and however many lanes there are.
 */
export async function lookAtLanes(db: Db, start: LookStart): Promise<Look> {
  const parts = [
    part(db, 'commands', COMPANIES_PER_LOOK)
      .where({ lane: COMMAND_LANE })
      .where('company_id', '>', start.afterCommandCompany),
    part(db, 'pages', COMPANIES_PER_LOOK)
      .where({ lane: PAGE_LANE })
      .where('company_id', '>', start.afterPageCompany),
    part(db, 'webhooks', LANES_PER_LOOK).where('lane', '>', start.afterLane),
    ...(start.also.length > 0 ? [part(db, 'also', start.also.length).whereIn('lane', [...start.also])] : []),
  ]
  const rows = (await db.union(parts, true)) as unknown as Row[]
  const seen = (name: keyof Look) => rows.filter((row) => row.part === name).map(toSeenLane)
  return { commands: seen('commands'), pages: seen('pages'), webhooks: seen('webhooks'), also: seen('also') }
}

/** The columns and the grouping make it a loose scan of the index outbox_claim, which ends at the limit. */
const part = (db: Db, name: keyof Look, limit: number) =>
  db('outbox')
    .select(
      db.raw('? AS part', [name]),
      'lane',
      'company_id',
      db.raw('MIN(available_at) <= NOW(3) AS is_due'),
    )
    .groupBy('lane', 'company_id')
    .orderBy(['lane', 'company_id'])
    .limit(limit)

const toSeenLane = ({ lane, company_id, is_due }: Row): SeenLane => ({
  lane,
  companyId: company_id,
  isDue: Boolean(is_due),
})

/** Rows of the outbox's end that one look reads at most. */
const FRESH_ROWS = 2_000

/**
 * The lanes of the rows that were queued last and are due.
 *
 * @param afterId rows up to this id are left out; undefined begins near the end
 * @param overlap how many ids before the newest one the next look begins, for transactions that commit out of order
 * @returns the lanes, and the `afterId` of the next look
 */
export async function listFreshLanes(
  db: Db,
  afterId: number | undefined,
  overlap: number,
): Promise<{ lanes: Lane[]; nextAfterId: number }> {
  const from = afterId ?? Math.max(0, (await newestId(db)) - overlap)
  const fresh = db('outbox')
    .where('id', '>', from)
    .orderBy('id')
    .limit(FRESH_ROWS)
    .select('id', 'lane', 'company_id', 'available_at')
    .as('fresh')
  const rows = await db
    .from(fresh)
    .groupBy('lane', 'company_id')
    .select<{ lane: string; company_id: string; newest: number; is_due: number }[]>(
      'lane',
      'company_id',
      db.raw('MAX(id) AS newest'),
      db.raw('MIN(available_at) <= NOW(3) AS is_due'),
    )
  const newest = rows.reduce((id, row) => Math.max(id, row.newest), 0)
  return {
    lanes: rows
      .filter(({ lane, is_due }) => is_due && lane > PAGE_LANE)
      .map(({ lane, company_id }) => ({ lane, companyId: company_id })),
    nextAfterId: Math.max(from, newest - overlap),
  }
}

async function newestId(db: Db): Promise<number> {
  const row = await db('outbox').max({ id: 'id' }).first<{ id: number | null } | undefined>()
  return row?.id ?? 0
}
