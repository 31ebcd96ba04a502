import { listAttempts } from '../../db/delivery/attempts.js'
import type { Deps } from '../../process/deps.js'
import { attemptCursor, readAttemptCursor } from '../../domain/delivery/attempt-cursor.js'
import { ApiError } from '../../domain/errors.js'
import { presentAttempt } from '../../presenters/deliveries.js'
import { presentCursorPage } from '../../presenters/pagination.js'
import { defineRoute, type AnyRoute } from '../routing/route.js'
import { cursorListOf, cursorQuery } from '../schemas/common.js'
import { attemptSchema } from '../schemas/webhooks.js'
import { deliverySubject } from './deliveries.js'

/** All attempts of a delivery, which a retry by hand can make many; the detail shows the latest. */
export function attemptRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute({
    method: 'GET',
    path: '/api-v1-webhooks/:id/deliveries/:deliveryId/attempts',
    scope: 'read:webhooks',
    operationId: 'listAttempts',
    summary: 'List the attempts of a delivery by cursor',
    query: cursorQuery(),
    isList: true,
    subject: deliverySubject(deps),
    answers: {
      200: {
        description: 'Attempts, newest first; response bodies of the latest 20, null for those before.',
        schema: cursorListOf(attemptSchema),
      },
    },
    handle: async ({ subject: { delivery }, query: { limit, cursor } }) => {
      const { id, attempts: latest } = delivery
      const before = cursor === undefined ? undefined : readCursor(delivery, cursor)
      const { items, hasMore } = await listAttempts(deps.db, id, {
        latest,
        limit,
        ...(before !== undefined && { before }),
      })
      const last = items.at(-1)
      const nextCursor = hasMore && last ? attemptCursor(id, last.number) : null
      return { body: presentCursorPage({ items, limit, nextCursor }, presentAttempt) }
    },
  })
  return [list]
}

function readCursor({ id, attempts }: { id: string; attempts: number }, cursor: string): number {
  const number = readAttemptCursor(id, cursor)
  if (number !== undefined && number <= attempts) return number
  throw new ApiError(
    'VALIDATION_ERROR',
    '"cursor" is not one of this delivery: send next_cursor of the page before, or none for the first page.',
  )
}
