import { feedCursor, readFeedPlace } from '../../domain/event/feed.ts'
import type { Feed } from '../../operations/event/feed.ts'
import { presentFeedPart } from '../../presenters/events.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { cursorListOf } from '../schemas/common.ts'
import { eventSchema } from '../schemas/events.ts'
import { feedQuery } from '../schemas/lists.ts'

/** The events of a tenant in the order of their commits, for clients that must not miss any. */
export function feedRoutes(feed: Feed): AnyRoute[] {
  const follow = defineRoute('GET', '/api-v1-events/feed', {
    cost: 'feed',
    scope: 'read:webhooks',
    operationId: 'followEvents',
    summary: 'Follow events without missing one',
    description:
      'Oldest first, without gaps and without repeats: keep `next_cursor`, which is never null, and send it as `after`. With `wait`, a request that finds no event is answered when one is published, or after that many seconds; 5 requests of a key may wait, and a further one is answered at once. With `types` a part may be empty although `has_more` is true. Test events are not in the feed. Shows payloads of every family.',
    query: feedQuery,
    refusals: [410],
    answers: {
      200: { description: 'The next events; none when nothing new came.', schema: cursorListOf(eventSchema) },
    },
    handle: async ({ caller: { id, tenant }, query, makeRoom, recheck, onGone }) => {
      const { after, limit, types, wait } = query
      const from = readFeedPlace(tenant, after)
      const request = { from, limit, types, keyId: id, waitMs: wait * 1_000, makeRoom, recheck, onGone }
      const part = await feed.follow(tenant, request)
      return { body: presentFeedPart(part, limit, feedCursor(tenant, part.place)) }
    },
  })
  return [follow]
}
