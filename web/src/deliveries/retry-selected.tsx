import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Delivery } from '../common/api/deliveries.js'
import { plural } from '../common/format/numbers.js'
import { RetryDialog } from './retry-dialog.js'

/** Whether a delivery can be retried: it has not arrived. */
export const isRetryable = ({ status }: Delivery): boolean => status !== 'success'

type Props = {
  readonly deliveries: readonly Delivery[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlySet<string>) => void
}

/** Selects deliveries of a list, and retries those that are selected. */
export function RetrySelected({ deliveries, selected, onSelect }: Props) {
  const [isOpen, setOpen] = useState(false)
  const retryable = deliveries.filter(isRetryable)
  const targets = retryable.filter(({ id }) => selected.has(id))
  const close = (isDone: boolean) => {
    setOpen(false)
    if (isDone) onSelect(new Set())
  }
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={retryable.length === 0}
        onClick={() => onSelect(new Set(targets.length > 0 ? [] : retryable.map(({ id }) => id)))}
      >
        {targets.length > 0 ? 'Select none' : 'Select all that have not arrived'}
      </Button>
      <Button size="xs" disabled={targets.length === 0} onClick={() => setOpen(true)}>
        Retry {targets.length} selected
      </Button>
      {isOpen && <SelectedDialog targets={targets} onClose={close} />}
    </>
  )
}

/** Keeps what was selected when it opened: a delivery that arrives meanwhile leaves the list of those to retry. */
function SelectedDialog({
  targets,
  onClose,
}: {
  targets: readonly Delivery[]
  onClose: (isDone: boolean) => void
}) {
  const [kept] = useState(targets)
  return (
    <RetryDialog title="Retry the selected deliveries" targets={kept} onClose={onClose}>
      <Text>
        {plural(kept.length, 'delivery is', 'deliveries are')} sent again. A retry has a full set of attempts
        where the delivery had failed.
      </Text>
    </RetryDialog>
  )
}
