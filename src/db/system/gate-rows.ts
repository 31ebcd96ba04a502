import type { Delivery } from '../../domain/delivery/delivery.js'
import type { GateWebhook } from '../../domain/delivery/gate.js'
import type { Environment, Tenant } from '../../domain/tenant.js'
import type { Db } from '../connection/connection.js'
import { joinEvent, toDelivery, type DeliveryRow } from '../delivery/rows.js'
import { fromColumns, selectColumns, type WebhookFields } from '../webhook/columns.js'

/** Everything an attempt needs, read in one query just before it. Secret and headers are still sealed. */
export type GateRows = {
  readonly tenant: Tenant
  readonly delivery: Delivery
  readonly webhook: GateWebhook &
    WebhookFields & {
      readonly id: string
      /** Grows with every change of the webhook. */
      readonly version: number
      readonly secretSealed: string
    }
  readonly body: Buffer | null
  /** The database's clock at the read. */
  readonly now: Date
  /** What is left of the lease of the delivery's start row, in milliseconds; undefined when it has none. */
  readonly startLeaseMs: number | undefined
}

type GateRow = DeliveryRow & {
  webhook_version: number
  secret_sealed: string
  deleted_at: Date | null
  body?: Buffer | null
  now: Date
  start_at: Date | null
}

/** Tells the columns of the webhook from those of the delivery. */
const WEBHOOK_PREFIX = 'webhook__'

/** What to read: the event's bytes only when they are about to be sent. */
type Options = { readonly withBody?: boolean }

/** The rows of a delivery by its id alone, or undefined when it is not there. */
export async function readGateRows(
  db: Db,
  deliveryId: string,
  options: Options = {},
): Promise<GateRows | undefined> {
  return (await readManyGateRows(db, [deliveryId], options)).get(deliveryId)
}

/** The rows of several deliveries by id; one query. */
export async function readManyGateRows(
  db: Db,
  deliveryIds: readonly string[],
  { withBody = false }: Options = {},
): Promise<Map<string, GateRows>> {
  const query = db('deliveries as d')
    .join('webhooks as w', 'w.id', 'd.webhook_id')
    .leftJoin('outbox as o', (join) => join.on('o.subject_id', 'd.id').andOnVal('o.kind', 'start'))
    .whereIn('d.id', [...deliveryIds])
    .select(
      'd.*',
      selectColumns('w', WEBHOOK_PREFIX),
      'w.version as webhook_version',
      'w.secret_sealed',
      'w.deleted_at',
      'o.available_at as start_at',
      db.raw('NOW(3) AS now'),
    )
  if (withBody) query.leftJoin('events as e', joinEvent).select('e.body')
  const rows = (await query) as GateRow[]
  return new Map(rows.map((row) => [row.id, toGateRows(row)]))
}

const toGateRows = (row: GateRow): GateRows => ({
  tenant: { companyId: row.company_id, environment: row.environment as Environment },
  delivery: toDelivery(row),
  webhook: {
    ...fromColumns(row, WEBHOOK_PREFIX),
    id: row.webhook_id,
    version: row.webhook_version,
    secretSealed: row.secret_sealed,
    isDeleted: row.deleted_at !== null,
  },
  body: row.body ?? null,
  now: row.now,
  startLeaseMs: row.start_at ? row.start_at.getTime() - row.now.getTime() : undefined,
})
