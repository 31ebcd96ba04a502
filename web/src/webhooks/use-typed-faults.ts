import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { One } from '../common/api/paging.ts'
import type { TypedFaults } from '../common/api/wire.ts'
import { useClient, usePlace } from '../common/session/context.ts'
import { bodyOf, type WebhookForm } from './webhook-form.ts'

/** How long typing must pause before the fields are checked, in milliseconds. */
const TYPING_PAUSE_MS = 600

/** Has the api check the fields while the user types: whether it would refuse the URL or a header, and why. */
export function useTypedFaults(form: WebhookForm): Readonly<Record<string, string>> {
  const client = useClient()
  const { base } = usePlace()
  const { url, headers: all } = bodyOf(form)
  // Hidden values were checked when they were stored.
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
  const body = { ...(url !== '' && { url }), ...(Object.keys(headers).length > 0 && { headers }) }
  const typed = JSON.stringify(body)
  const [text] = useDebouncedValue(typed, TYPING_PAUSE_MS)
  const { data } = useQuery({
    queryKey: ['webhook-check', base, text],
    // Not cached, because headers hold credentials that must not stay in memory.
    gcTime: 0,
    enabled: text !== '{}',
    queryFn: async ({ signal }) => {
      const call = { method: 'POST', body: JSON.parse(text) as unknown, signal } as const
      return (await client.send<One<TypedFaults>>(`${base}/webhook-check`, call)).body.data.faults
    },
  })
  // The errors of a former text are dropped.
  return text === typed ? (data ?? {}) : {}
}
