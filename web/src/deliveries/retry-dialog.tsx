import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { count, plural } from '../common/format/numbers.js'
import { Dialog } from '../common/ui/dialog.js'
import { RefusalNotice } from '../common/ui/refusal-notice.js'
import type { RetryTarget } from './retry-many.js'
import { useRetryMany } from './use-retry-many.js'

type Props = {
  readonly title: string
  /** Undefined until they are known. */
  readonly targets: readonly RetryTarget[] | undefined
  /** What is retried. */
  readonly children: ReactNode
  /** @param isDone whether the retries are queued */
  readonly onClose: (isDone: boolean) => void
}

const deliveries = (total: number): string => plural(total, 'delivery', 'deliveries')

/** Retries many deliveries: says how many before, how far it is meanwhile, and what came of it. */
export function RetryDialog({ title, targets, children, onClose }: Props) {
  const { state, progress, error, start } = useRetryMany()
  const { queued, refused } = progress
  const total = targets?.length ?? 0
  const close = () => onClose(state === 'done')
  return (
    <Dialog title={title} onClose={close}>
      <Stack>
        {state === 'ready' && children}
        <Text role="status">
          {state === 'running' &&
            `${count(queued + refused)} of ${deliveries(total)}. Closing this stops it.`}
          {state === 'done' &&
            `${deliveries(queued)} queued for retry.${refused > 0 ? ` ${deliveries(refused)} refused: arrived meanwhile, or deleted.` : ''}`}
        </Text>
        {error !== null && <RefusalNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {state === 'done' ? 'Close' : 'Cancel'}
          </Button>
          {state !== 'done' && (
            <Button
              loading={state === 'running'}
              disabled={total === 0}
              onClick={() => targets && start(targets)}
            >
              Retry {deliveries(total)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}
