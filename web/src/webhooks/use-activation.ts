import type { Webhook } from '../common/api/webhooks.js'
import { useChange } from '../common/session/queries.js'
import { showRefusal, showUndo } from '../common/ui/toasts.js'

/** Activates and deactivates a webhook, and lets it be taken back. */
export function useActivation({ id, is_active: isActive }: Webhook): {
  readonly isBusy: boolean
  readonly toggle: () => void
} {
  const change = useChange<Webhook>()
  const set = (next: boolean) =>
    change.mutateAsync({ method: 'PATCH', path: `/webhooks/${id}`, body: { is_active: next } })
  const toggle = () =>
    set(!isActive).then(
      () => showUndo(`The webhook is ${isActive ? 'inactive' : 'active'}.`, () => set(isActive)),
      showRefusal,
    )
  return { isBusy: change.isPending, toggle: () => void toggle() }
}
