import type { Delivery } from '../../domain/delivery/delivery.ts'
import type { GateWebhook } from '../../domain/delivery/gate.ts'
import type { Environment, Tenant } from '../../domain/tenant.ts'
import type { SystemDb } from '../connection/connection.ts'
import { SharedLookups } from '../connection/shared-lookups.ts'
import {
  NOTHING,
  rawSql,
  rowsOf,
  run,
  sql,
  type Statement,
  type StatementResult,
} from '../connection/statements.ts'
import { JOIN_EVENT, toDelivery, type DeliveryRow } from './rows.ts'
import { fromColumns, selectColumns, type WebhookFields } from '../webhook/columns.ts'

/** The rows that an attempt needs, read in one query just before it. The webhook's secret and headers are still sealed. */
export type GateRows = {
  readonly tenant: Tenant
  readonly delivery: Delivery
  readonly webhook: GateWebhook &
    WebhookFields & {
      readonly id: string
      /** The version grows with every update of the webhook and with a 410, but not when the webhook is deleted. */
      readonly version: number
      readonly secretSealed: string
    }
  /** The bytes of the event; null unless the caller asked for them. */
  readonly body: Buffer | null
  /**
   * The trace context of the publish. null if it had none, or if the caller asked for neither the trace context nor the bytes.
   */
  readonly traceparent: string | null
  /** When the rows were read, by the database's clock. */
  readonly now: Date
  /**
   * How long the lease of the delivery's `start` row still lasts, in milliseconds. Negative after the end of the lease;
   * undefined if there is no such row.
   */
  readonly startLeaseMs: number | undefined
  /** Whether a direct attempt holds that lease. */
  readonly isDirectOnItsWay: boolean
}

type GateRow = DeliveryRow & {
  webhook_version: number
  secret_sealed: string
  deleted_at: Date | null
  is_suspended: number
  body?: Buffer | null
  traceparent?: string | null
  now: Date
  start_at: Date | null
  is_direct: number | null
}

/** A prefix for the names of the webhook's columns. The delivery has columns of the same names. */
const WEBHOOK_ALIAS_START = 'webhook__'

const WEBHOOK_COLUMNS = rawSql(
  Object.entries(selectColumns('w', WEBHOOK_ALIAS_START))
    .map(([alias, column]) => `${column} AS ${alias}`)
    .join(', '),
)

/**
 * `bodyUpTo`: also read the trace context of the event, and its bytes if there are at most this many. Set it only if
 * the event is to be sent, because the bytes can be large. `withTrace`: read only the trace context.
 */
type Options = { readonly bodyUpTo?: number; readonly withTrace?: boolean }

/** Reads the rows of one delivery, without the bytes of its event. Returns undefined when there is no such delivery. */
export async function readGateRows(db: SystemDb, deliveryId: string): Promise<GateRows | undefined> {
  return toGateRowsById(await run(db, gateStatement([deliveryId]))).get(deliveryId)
}

/**
 * Reads the rows of attempts. Attempts that begin together share a query. A query reads only a few events, because events
 * can be large.
 */
export const createGateReads = (db: SystemDb): SharedLookups<string, GateRows> =>
  new SharedLookups({
    query: async (deliveryIds) => {
      const found = await run(db, gateStatement(deliveryIds, { bodyUpTo: Number.MAX_SAFE_INTEGER }))
      return new Map(rowsOf<GateRow>(found).map((row) => [row.id, () => toGateRows(row)]))
    },
    nameOf: (deliveryId) => deliveryId,
    keysPerQuery: 32,
    queriesAtOnce: 4,
  })

/** The statement that reads the rows of several deliveries. toGateRowsById reads its result. */
export const gateStatement = (
  deliveryIds: readonly string[],
  { bodyUpTo, withTrace = bodyUpTo !== undefined }: Options = {},
): Statement => sql`
  SELECT d.*, ${WEBHOOK_COLUMNS}, w.version AS webhook_version, w.secret_sealed, w.deleted_at,
         c.suspended_at IS NOT NULL AS is_suspended,
         o.available_at AS start_at, o.is_direct AND o.lease_owner IS NOT NULL AS is_direct, NOW(3) AS now
         ${bodyUpTo === undefined ? NOTHING : sql`, IF(OCTET_LENGTH(e.body) <= ${bodyUpTo}, e.body, NULL) AS body`}
         ${withTrace ? sql`, e.traceparent` : NOTHING}
    FROM deliveries d
    JOIN webhooks w ON w.id = d.webhook_id
    LEFT JOIN companies c ON c.id = w.company_id
    LEFT JOIN outbox o ON o.subject_id = d.id AND o.kind = 'start'
    ${withTrace ? sql`LEFT ${JOIN_EVENT}` : NOTHING}
   WHERE d.id IN (${deliveryIds})`

export const toGateRowsById = (result: StatementResult | undefined): Map<string, GateRows> =>
  new Map(rowsOf<GateRow>(result).map((row) => [row.id, toGateRows(row)]))

function toGateRows(row: GateRow): GateRows {
  const startLeaseMs = row.start_at ? row.start_at.getTime() - row.now.getTime() : undefined
  return {
    tenant: { companyId: row.company_id, environment: row.environment as Environment },
    delivery: toDelivery(row),
    webhook: {
      ...fromColumns(row, WEBHOOK_ALIAS_START),
      id: row.webhook_id,
      version: row.webhook_version,
      secretSealed: row.secret_sealed,
      isDeleted: row.deleted_at !== null,
      isSuspended: row.is_suspended === 1,
    },
    body: row.body ?? null,
    traceparent: row.traceparent ?? null,
    now: row.now,
    startLeaseMs,
    isDirectOnItsWay: row.is_direct === 1 && (startLeaseMs ?? 0) > 0,
  }
}
