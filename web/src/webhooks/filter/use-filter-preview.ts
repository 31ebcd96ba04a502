import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { One } from '../../common/api/paging.ts'
import { isRefusal } from '../../common/api/refusal.ts'
import type { FilterPreview, Webhook } from '../../common/api/wire.ts'
import { useClient, usePlace } from '../../common/session/context.ts'
import type { Filter } from './filter-text.ts'

/** How long typing must pause before the filter is tried, in milliseconds. */
const TYPING_PAUSE_MS = 600

/** While a filter is edited, tries it on the latest real events of the types. */
export function useFilterPreview(filter: Filter | null | undefined, events: Webhook['events']) {
  const client = useClient()
  const { base } = usePlace()
  const typed = filter && events.length > 0 ? JSON.stringify({ filter, events }) : ''
  const [text] = useDebouncedValue(typed, TYPING_PAUSE_MS)
  const { data, error } = useQuery({
    queryKey: ['filter-preview', base, text],
    enabled: text !== '',
    queryFn: async ({ signal }) => {
      const call = { method: 'POST', body: JSON.parse(text) as unknown, signal } as const
      return (await client.send<One<FilterPreview>>(`${base}/filter-preview`, call)).body.data
    },
    retry: false,
  })
  // The result for a former text is dropped.
  const isCurrent = text === typed && text !== ''
  return {
    preview: isCurrent ? data : undefined,
    fault: isCurrent && isRefusal(error, 'VALIDATION_ERROR') ? error.message : undefined,
  }
}
