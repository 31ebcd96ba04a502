import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../common/ui/dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import type { SendAction, SendOutcome, SendTarget } from './send-many.ts'
import { SendOutcomes } from './send-outcomes.tsx'
import { useSendMany } from './use-send-many.ts'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

const deliveries = (total: number): string => texts.deliveryCount({ number: total })

type Words = {
  readonly title: string
  readonly verb: string
  readonly explained: (of: { readonly number: number }) => string
  /** The text after the number of accepted deliveries. */
  readonly done: string
}

const WORDS: Readonly<Record<SendAction, Words>> = {
  retry: {
    title: texts.retrySelected,
    verb: texts.retry,
    explained: texts.retryMeans,
    done: texts.retryDone,
  },
  resend: {
    title: texts.resendSelected,
    verb: texts.resend,
    explained: texts.resendMeans,
    done: texts.resendDone,
  },
}

type Props = {
  readonly action: SendAction
  readonly targets: readonly SendTarget[]
  /** Says how many of the selected deliveries are left out. */
  readonly note?: string | undefined
  /** @param isDone whether the api was asked for all of them */
  readonly onClose: (isDone: boolean) => void
}

/** Retries or resends many deliveries. It first says how many, then shows the progress, then the outcome of each. */
export function SendDialog({ action, targets, note, onClose }: Props) {
  // The dialog keeps its own copy, because a delivery that arrives leaves the list behind the dialog.
  const [kept] = useState(targets)
  const { state, outcomes, error, start } = useSendMany(action)
  const { title, verb, explained } = WORDS[action]
  const close = () => onClose(state === 'done')
  return (
    <Dialog title={title} onClose={close}>
      <Stack>
        {state === 'ready' && <Text>{explained({ number: kept.length })}</Text>}
        {state === 'ready' && note !== undefined && <Text c="dimmed">{note}</Text>}
        <Text role="status">
          {state === 'running' && texts.progress({ sent: outcomes.length, all: deliveries(kept.length) })}
          {state === 'done' && summaryOf(action, outcomes)}
        </Text>
        {state === 'done' && <SendOutcomes outcomes={outcomes} />}
        {error !== null && <RefusalNotice error={error} />}
        <DialogFoot>
          <Button variant="default" onClick={close}>
            {state === 'done' ? texts.close : texts.cancel}
          </Button>
          {state !== 'done' && (
            <Button loading={state === 'running'} disabled={kept.length === 0} onClick={() => start(kept)}>
              {`${verb} ${deliveries(kept.length)}`}
            </Button>
          )}
        </DialogFoot>
      </Stack>
    </Dialog>
  )
}

function summaryOf(action: SendAction, outcomes: readonly SendOutcome[]): string {
  const refused = outcomes.filter(({ kind }) => kind === 'refused').length
  const done = `${deliveries(outcomes.length - refused)} ${WORDS[action].done}`
  return refused === 0 ? done : texts.doneAndRefused({ done, refused: deliveries(refused) })
}
