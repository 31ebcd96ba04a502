import type { Webhook } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal, showUndo } from '../common/ui/toasts.tsx'
import { texts } from './texts.ts'

/**
 * Activates and deactivates a webhook, and lets it be taken back.
 *
 * @param onSet told of each change. After an activation the caller offers what the pause missed (MissedCheck)
 */
export function useActivation(
  { id, is_active: isActive }: Webhook,
  onSet: (isActive: boolean) => void,
): { readonly isBusy: boolean; readonly toggle: () => void } {
  const change = useChange<Webhook>()
  const set = async (next: boolean) => {
    await change.mutateAsync({ method: 'PATCH', path: `/webhooks/${id}`, body: { is_active: next } })
    onSet(next)
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
