import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { One, PartOf } from '../common/api/paging.ts'
import type { Missed, Recovery } from '../common/api/wire.ts'
import { useClient, usePlace } from '../common/session/context.ts'
import { isOpen } from './recovery-words.ts'
import { useOne } from '../common/session/queries.ts'

/** How often a running recovery is read again. */
const RUNNING_EVERY_MS = 1_000

/** Reads a recovery while it runs. When it ends, all data that is shown is read again. */
export function useRecovery(webhookId: string, recoveryId: string) {
  const { base } = usePlace()
  const cache = useQueryClient()
  const reading = useOne<Recovery>(`/webhooks/${webhookId}/recoveries/${recoveryId}`, {
    everyMs: (recovery) => (isOpen(recovery) ? RUNNING_EVERY_MS : false),
  })
  const item = reading.data?.item
  const goesOn = item !== undefined && isOpen(item)
  const former = useRef(goesOn)
  useEffect(() => {
    if (former.current && !goesOn) void cache.invalidateQueries({ queryKey: [base] })
    former.current = goesOn
  }, [goesOn, base, cache])
  return reading
}

/** The webhook's recovery that is queued or running: the newest one, if any. It is read each time, and not cached. */
export function useRunning(webhookId: string) {
  const client = useClient()
  const { base } = usePlace()
  return useQuery({
    queryKey: [base, 'running', webhookId],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const path = `${base}/webhooks/${webhookId}/recoveries`
      const { body } = await client.send<PartOf<Recovery>>(path, { query: { limit: 1 }, signal })
      const [newest] = body.data
      return { running: newest && isOpen(newest) ? newest : undefined }
    },
  })
}

/** What the webhook missed during its latest pause. It is read each time, because an activation changes it. */
export function useMissed(webhookId: string) {
  const client = useClient()
  const { base } = usePlace()
  return useQuery({
    queryKey: [base, 'missed', webhookId],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { body } = await client.send<One<Missed>>(`${base}/webhooks/${webhookId}/missed`, { signal })
      return body.data
    },
  })
}
