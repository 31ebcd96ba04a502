import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Delivery, RetryResult } from '../common/api/wire.ts'
import type { One } from '../common/api/paging.ts'
import { useClient, usePlace } from '../common/session/context.ts'
import { sendMany, type SendAction, type SendOutcome, type SendTarget } from './send-many.ts'

type Running = {
  readonly state: 'ready' | 'running' | 'done'
  readonly outcomes: readonly SendOutcome[]
  readonly error: unknown
  readonly start: (targets: readonly SendTarget[]) => void
}

/** The api answers a retry with a sentence, and a resend with the new delivery. */
type Sent = Partial<Pick<Delivery, 'id'> & Pick<RetryResult, 'message'>>

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Sends many deliveries, one after the other, while the dialog is open. Afterwards it reads the lists again. */
export function useSendMany(action: SendAction): Running {
  const client = useClient()
  const { base } = usePlace()
  const cache = useQueryClient()
  const [state, setState] = useState<Running['state']>('ready')
  const [outcomes, setOutcomes] = useState<readonly SendOutcome[]>([])
  const [error, setError] = useState<unknown>(null)
  // One idempotency key for each delivery, so that a second start after a lost connection sends none of them twice.
  const keys = useRef(new Map<string, string>())
  const [abort] = useState(() => new AbortController())
  useEffect(() => () => abort.abort(), [abort])

  const ask = async ({ id, webhook_id }: SendTarget) => {
    const idempotencyKey = keys.current.get(id) ?? crypto.randomUUID()
    keys.current.set(id, idempotencyKey)
    const path = `${base}/webhooks/${webhook_id}/deliveries/${id}/${action}`
    const { body } = await client.send<One<Sent>>(path, { method: 'POST', body: {}, idempotencyKey })
    return { newId: body.data.id, message: body.data.message }
  }
  const run = async (targets: readonly SendTarget[]) => {
    setState('running')
    setError(null)
    try {
      await sendMany(targets, { ask, wait, onProgress: setOutcomes, signal: abort.signal })
      setState('done')
    } catch (failure) {
      setError(failure)
      setState('ready')
    }
    await cache.invalidateQueries({ queryKey: [base] })
  }
  return { state, outcomes, error, start: (targets) => void run(targets) }
}
