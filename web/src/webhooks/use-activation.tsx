import { useState, type ReactNode } from 'react'
import type { Webhook } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal, showUndo } from '../common/ui/toasts.tsx'
import { MissedCheck } from '../recoveries/missed-check.tsx'
import { texts } from './texts.ts'

/** Activates and deactivates a webhook, and lets it be taken back. */
export function useActivation(webhook: Webhook): {
  readonly isBusy: boolean
  readonly toggle: () => void
  /** After an activation: the offer to recover what the pause missed. It belongs beside what toggles. */
  readonly offer: ReactNode
} {
  const { id, is_active: isActive } = webhook
  const change = useChange<Webhook>()
  const [isActivated, setActivated] = useState(false)
  const set = async (next: boolean) => {
    await change.mutateAsync({ method: 'PATCH', path: `/webhooks/${id}`, body: { is_active: next } })
    setActivated(next)
  }
  const toggle = () =>
    set(!isActive).then(
      () =>
        showUndo(texts.webhookIsNow({ state: isActive ? texts.stateInactive : texts.stateActive }), () =>
          set(isActive),
        ),
      showRefusal,
    )
  const offer = isActivated ? <MissedCheck webhook={webhook} onClose={() => setActivated(false)} /> : null
  return { isBusy: change.isPending, toggle: () => void toggle(), offer }
}
