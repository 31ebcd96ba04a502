import { useEffect, useState } from 'react'
import type { Missed, Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { RecoverDialog } from './recover-dialog.tsx'
import { useMissed } from './use-recovery.ts'

type Props = {
  /** A webhook that was just activated. */
  readonly webhook: Webhook
  readonly onClose: () => void
}

/**
 * Checks whether the webhook missed events while it was inactive, and offers to recover them. Closes at once if it missed none.
 */
export function MissedCheck({ webhook, onClose }: Props) {
  const mayRecover = useMay('deliveries.recover')
  const { data } = useMissed(webhook.id)
  // The offer stays while the events are recovered, although fewer are missing then.
  const [offered, setOffered] = useState<Missed>()
  if (offered === undefined && data?.recoverable && data.recoverable.total !== 0) setOffered(data)
  const hasNothing = offered === undefined && data !== undefined
  useEffect(() => {
    if (hasNothing) onClose()
  }, [hasNothing, onClose])
  if (!mayRecover || offered === undefined) return null
  return <RecoverDialog webhook={webhook} missed={offered} onClose={onClose} />
}
