import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { count, plural } from '../common/format/numbers.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import type { SendAction, SendOutcome, SendTarget } from './send-many.ts'
import { SendOutcomes } from './send-outcomes.tsx'
import { useSendMany } from './use-send-many.ts'

const deliveries = (total: number): string => plural(total, 'delivery', 'deliveries')

type Words = {
  readonly title: string
  readonly verb: string
  readonly explained: string
  /** Behind the number of those that were accepted. */
  readonly done: string
}

const WORDS: Readonly<Record<SendAction, Words>> = {
  retry: {
    title: 'Retry the selected deliveries',
    verb: 'Retry',
    explained: 'sent again. A retry has a full set of attempts where the delivery had failed.',
    done: 'queued for retry.',
  },
  resend: {
    title: 'Resend the selected deliveries',
    verb: 'Resend',
    explained:
      'sent once more as a new delivery, also where it had arrived. It has the same webhook-id: an endpoint that drops ' +
      'repetitions drops it.',
    done: 'sent once more, each as a new one.',
  },
}

type Props = {
  readonly action: SendAction
  readonly targets: readonly SendTarget[]
  /** @param isDone whether all of them were asked for */
  readonly onClose: (isDone: boolean) => void
}

/** Sends many deliveries: says how many before, how far it is meanwhile, and what came of each. */
export function SendDialog({ action, targets, onClose }: Props) {
  // A delivery that arrives meanwhile leaves the list behind the dialog, and stays here.
  const [kept] = useState(targets)
  const { state, outcomes, error, start } = useSendMany(action)
  const { title, verb, explained } = WORDS[action]
  const close = () => onClose(state === 'done')
  return (
    <Dialog title={title} onClose={close}>
      <Stack>
        {state === 'ready' && (
          <Text>
            {plural(kept.length, 'delivery is', 'deliveries are')} {explained}
          </Text>
        )}
        <Text role="status">
          {state === 'running' &&
            `${count(outcomes.length)} of ${deliveries(kept.length)}. Closing this stops it.`}
          {state === 'done' && summaryOf(action, outcomes)}
        </Text>
        {state === 'done' && <SendOutcomes outcomes={outcomes} />}
        {error !== null && <RefusalNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {state === 'done' ? 'Close' : 'Cancel'}
          </Button>
          {state !== 'done' && (
            <Button loading={state === 'running'} disabled={kept.length === 0} onClick={() => start(kept)}>
              {verb} {deliveries(kept.length)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

function summaryOf(action: SendAction, outcomes: readonly SendOutcome[]): string {
  const refused = outcomes.filter(({ kind }) => kind === 'refused').length
  const done = `${deliveries(outcomes.length - refused)} ${WORDS[action].done}`
  return refused === 0 ? done : `${done} ${deliveries(refused)} refused.`
}
