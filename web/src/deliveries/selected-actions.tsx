import { Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import type { Selection } from './delivery-table.tsx'
import { SendDialog } from './send-dialog.tsx'
import { IS_POSSIBLE, type SendAction } from './send-many.ts'
import { texts } from './texts.ts'

type Props = Selection & { readonly deliveries: readonly Delivery[] }

/** Selects the loaded rows whose delivery has not arrived. */
export function SelectUndelivered({ deliveries, onSelect }: Props) {
  const undelivered = deliveries.filter(IS_POSSIBLE.retry)
  return (
    <Button
      size="xs"
      variant="subtle"
      title={texts.ofTheLoadedRows}
      disabled={undelivered.length === 0}
      onClick={() => onSelect(new Set(undelivered.map(({ id }) => id)))}
    >
      {texts.selectUndelivered}
    </Button>
  )
}

type ActionsProps = Props & {
  /** Opens the dialog that recovers a webhook. A recovery also covers deliveries that are not loaded. */
  readonly recover?: ReactNode
}

/** Retries or resends the selected deliveries, as far as each of them allows it. It stays in view below the list. */
export function SelectedActions({ deliveries, selected, onSelect, recover }: ActionsProps) {
  const [open, setOpen] = useState<SendAction>()
  const may = { retry: useMay('deliveries.retry'), resend: useMay('deliveries.resend') }
  const chosen = deliveries.filter(({ id }) => selected.has(id))
  const targets = {
    retry: chosen.filter(IS_POSSIBLE.retry),
    resend: chosen.filter(IS_POSSIBLE.resend),
  }
  const close = (isDone: boolean) => {
    setOpen(undefined)
    if (isDone) onSelect(new Set())
  }
  const noteOf = (action: SendAction) => {
    const number = chosen.length - targets[action].length
    return number === 0 ? undefined : texts.leavesOut[action]({ number })
  }
  const button = (action: SendAction, verb: string) =>
    may[action] && (
      <Button
        size="xs"
        variant={action === 'retry' ? 'filled' : 'default'}
        aria-label={texts.actOnSelected({ verb, number: targets[action].length })}
        title={noteOf(action)}
        disabled={targets[action].length === 0}
        onClick={() => setOpen(action)}
      >
        {verb}
      </Button>
    )
  const isAny = chosen.length > 0
  return (
    <div className="selected-bar" data-shown={isAny || undefined}>
      <span role="status">{isAny && texts.selected({ number: chosen.length })}</span>
      {isAny && (
        <>
          {button('retry', texts.retry)}
          {button('resend', texts.resend)}
          <Button size="xs" variant="subtle" onClick={() => onSelect(new Set())}>
            {texts.clearSelection}
          </Button>
          {recover && <span className="selected-bar-end">{recover}</span>}
        </>
      )}
      {open && <SendDialog action={open} targets={targets[open]} note={noteOf(open)} onClose={close} />}
    </div>
  )
}
