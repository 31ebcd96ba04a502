import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { PartOf } from '../api/paging.ts'
import type { Event } from '../api/wire.ts'
import { searchQuery } from '../filters/search.ts'
import { timeAgo } from '../format/times.ts'
import { useClient, usePlace } from '../session/context.ts'
import { useNow } from '../ui/now.ts'
import { IconBolt } from '../ui/icons.ts'
import type { Command } from './commands.ts'
import { texts } from './texts.ts'

/** How long typing must pause before events are searched, in milliseconds. */
const TYPING_PAUSE_MS = 300

/** The most events that the palette shows. The search of the list has the others. */
const HITS = 5

/**
 * The latest events that contain the typed text; undefined while they are loading. Empty if the text is too short, or the
 * user may not read events.
 */
export function useHits(typed: string, mayRead: boolean): readonly Command[] | undefined {
  const client = useClient()
  const now = useNow()
  const { base } = usePlace()
  const [text] = useDebouncedValue(typed.trim(), TYPING_PAUSE_MS)
  const query = searchQuery(text)
  const isSought = mayRead && Object.keys(searchQuery(typed.trim())).length > 0
  const { data, isPending } = useQuery({
    queryKey: [base, '/events', query, 'hits'],
    enabled: mayRead && Object.keys(query).length > 0,
    queryFn: async ({ signal }) =>
      (await client.send<PartOf<Event>>(`${base}/events`, { query: { ...query, limit: HITS }, signal })).body
        .data,
    retry: false,
  })
  if (!isSought) return []
  if (text !== typed.trim() || isPending) return undefined
  return (data ?? []).map(({ id, event, record, record_name, created_at }) => ({
    id,
    name: `${event} ${record_name ?? record ?? id}`,
    group: texts.events,
    note: timeAgo(new Date(created_at), now),
    icon: IconBolt,
    href: `/events/${encodeURIComponent(id)}`,
  }))
}
