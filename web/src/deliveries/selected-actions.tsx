import { Button, Group } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { SendDialog } from './send-dialog.tsx'
import { IS_POSSIBLE, type SendAction } from './send-many.ts'
import { texts } from './texts.ts'

type Props = {
  readonly deliveries: readonly Delivery[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlySet<string>) => void
  /** Opens the recovery of a webhook, which goes beyond the rows that are loaded. */
  readonly recover?: ReactNode
}

/** Selects deliveries of a list, and retries or resends those that are selected, as far as each of them allows. */
export function SelectedActions({ deliveries, selected, onSelect, recover }: Props) {
  const [open, setOpen] = useState<SendAction>()
  const may = { retry: useMay('deliveries.retry'), resend: useMay('deliveries.resend') }
  const retryable = deliveries.filter(IS_POSSIBLE.retry)
  const chosen = deliveries.filter(({ id }) => selected.has(id))
  const targets = {
    retry: chosen.filter(IS_POSSIBLE.retry),
    resend: chosen.filter(IS_POSSIBLE.resend),
  }
  const close = (isDone: boolean) => {
    setOpen(undefined)
    if (isDone) onSelect(new Set())
  }
  const button = (action: SendAction, verb: string) =>
    may[action] &&
    chosen.length > 0 && (
      <Button
        size="xs"
        variant={action === 'retry' ? 'filled' : 'default'}
        disabled={targets[action].length === 0}
        onClick={() => setOpen(action)}
      >
        {texts.actOnSelected({ verb, number: targets[action].length })}
      </Button>
    )
  const leftOut = (action: SendAction) => (may[action] ? chosen.length - targets[action].length : 0)
  const notes = [
    texts.loadedSelected({ number: chosen.length }),
    ...(leftOut('retry') > 0 ? [texts.retryLeavesOut({ number: leftOut('retry') })] : []),
    ...(leftOut('resend') > 0 ? [texts.resendLeavesOut({ number: leftOut('resend') })] : []),
  ]
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        disabled={chosen.length === 0 && retryable.length === 0}
        onClick={() => onSelect(new Set(chosen.length > 0 ? [] : retryable.map(({ id }) => id)))}
      >
        {chosen.length > 0 ? texts.selectNone : texts.selectUndelivered}
      </Button>
      {button('retry', texts.retry)}
      {button('resend', texts.resend)}
      {chosen.length > 0 && recover}
      <span role="status" className="quiet">
        {chosen.length > 0 && notes.join(' ')}
      </span>
      {open && <SendDialog action={open} targets={targets[open]} onClose={close} />}
    </Group>
  )
}
