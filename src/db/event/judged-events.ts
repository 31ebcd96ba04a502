import type { Tenant } from '../../domain/tenant.ts'
import type { CompiledFilter, FilterVerdict } from '../../domain/webhook/filter/compile.ts'
import { JudgedEvent, Judging } from '../../domain/webhook/filter/judging.ts'
import type { Db } from '../connection/connection.ts'
import { findEvents } from './events.ts'

/** Events whose bytes are read at once: 10 MiB at most. */
const READ_AT_ONCE = 20

type Judged = {
  readonly id: string
  readonly verdict: FilterVerdict
  readonly envelope: object
  readonly bytes: number
}

/**
 * Judges events of the tenant by a filter, in the order of their ids' list; those that are gone are left out. It reads them as it
 * is asked for them.
 */
export async function* judgeEvents(
  db: Db,
  tenant: Tenant,
  filter: CompiledFilter,
  ids: readonly string[],
): AsyncGenerator<Judged> {
  const judging = new Judging()
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const some = ids.slice(from, from + READ_AT_ONCE)
    const found = new Map((await findEvents(db, tenant, some)).map(({ id, body }) => [id, body]))
    for (const id of some) {
      const body = found.get(id)
      if (!body) continue
      const event = new JudgedEvent(body)
      const verdict = await judging.judge(filter, event)
      yield { id, verdict, envelope: event.envelope, bytes: body.length }
    }
  }
}
