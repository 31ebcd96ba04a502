import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useClient, usePlace } from '../common/session/context.js'
import { retryMany, type RetryProgress, type RetryTarget } from './retry-many.js'

type Running = {
  readonly state: 'ready' | 'running' | 'done'
  readonly progress: RetryProgress
  readonly error: unknown
  readonly start: (targets: readonly RetryTarget[]) => void
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Retries many deliveries, one after the other, as long as the dialog is open. Afterwards the lists are read anew. */
export function useRetryMany(): Running {
  const client = useClient()
  const { base } = usePlace()
  const cache = useQueryClient()
  const [state, setState] = useState<Running['state']>('ready')
  const [progress, setProgress] = useState<RetryProgress>({ queued: 0, refused: 0 })
  const [error, setError] = useState<unknown>(null)
  // One for each delivery, so that a second start after a lost connection retries none twice.
  const keys = useRef(new Map<string, string>())
  const [abort] = useState(() => new AbortController())
  useEffect(() => () => abort.abort(), [abort])

  const retry = ({ id, webhook_id }: RetryTarget) => {
    const idempotencyKey = keys.current.get(id) ?? crypto.randomUUID()
    keys.current.set(id, idempotencyKey)
    const path = `${base}/webhooks/${webhook_id}/deliveries/${id}/retry`
    return client.send(path, { method: 'POST', body: {}, idempotencyKey })
  }
  const run = async (targets: readonly RetryTarget[]) => {
    setState('running')
    setError(null)
    try {
      await retryMany(targets, { retry, wait, onProgress: setProgress, signal: abort.signal })
      setState('done')
    } catch (failure) {
      setError(failure)
      setState('ready')
    }
    await cache.invalidateQueries({ queryKey: [base] })
  }
  return { state, progress, error, start: (targets) => void run(targets) }
}
