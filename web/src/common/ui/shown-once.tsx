import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { DialogFoot } from './dialog-foot.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly title: string
  /** Its name in sentences: `key`, `secret`. */
  readonly what: string
  readonly value: string
  /** How to use it. */
  readonly children: ReactNode
  readonly onDone: () => void
}

/**
 * Shows a key or a secret. It can be seen only this once. It is in the state of this component only: not in the URL, not in
 * the cache. «Done» and every other way out ask first, until the reader says that it is stored.
 */
export function ShownOnce({ title, what, value, children, onDone }: Props) {
  const [isStored, setStored] = useState(false)
  const question = {
    title: texts.closeWithout({ what }),
    means: texts.closedForGood({ what }),
    action: texts.closeAnyway,
  }
  return (
    <Dialog title={title} onClose={onDone} size="xl" hasInput={!isStored} question={question}>
      {(close) => (
        <Stack>
          <Text>{texts.copyNow({ what })}</Text>
          <Group gap="xs" wrap="nowrap">
            <code className="secret" data-testid="secret">
              {value}
            </code>
            <Copy text={value} what={what} label={texts.copyAlone} />
          </Group>
          {children}
          <Checkbox
            label={texts.stored({ what })}
            checked={isStored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <DialogFoot>
            <Button onClick={close}>{texts.done}</Button>
          </DialogFoot>
        </Stack>
      )}
    </Dialog>
  )
}
