import type { Webhook } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal, showUndo } from '../common/ui/toasts.tsx'
import { texts } from './texts.ts'

/**
 * Activates and deactivates a webhook, and offers to undo that.
 *
 * @param onSet called with the changed webhook. After an activation, MissedCheck offers what the webhook missed
 */
export function useActivation(
  webhook: Webhook,
  onSet: (changed: Webhook) => void,
): { readonly isBusy: boolean; readonly toggle: () => void } {
  const { id, is_active: isActive } = webhook
  const change = useChange<Webhook>()
  const set = async (next: boolean) => {
    onSet(await change.mutateAsync({ method: 'PATCH', path: `/webhooks/${id}`, body: { is_active: next } }))
  }
  const toggle = () =>
    set(!isActive).then(
      () =>
        showUndo(texts.webhookIsNow({ state: isActive ? texts.stateInactive : texts.stateActive }), () =>
          set(isActive),
        ),
      showRefusal,
    )
  return { isBusy: change.isPending, toggle: () => void toggle() }
}
