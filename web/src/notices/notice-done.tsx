import { Button, Group } from '@mantine/core'
import type { MouseEvent } from 'react'
import type { Notice } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { When } from '../common/ui/when.tsx'
import { NOTICE_KINDS } from './notice-kinds.ts'
import { texts } from './texts.ts'
import { focusTitle, type Marks } from './use-marks.ts'

type Props = { readonly notice: Notice; readonly marks: Marks; readonly leaves: boolean }

/** Says who is done with a notice, with the buttons that mark it as done or open. */
export function NoticeDone({ notice, marks, leaves }: Props) {
  const mayMark = useMay('notices.mark')
  const mayMarkForAll = useMay('notices.write')
  const { done_at: doneAt, done_by_name: doneBy, done_for_me: isDoneForMe } = notice
  const what = notice.name ?? NOTICE_KINDS[notice.kind][1]
  const button = (name: string, whom: 'me' | 'all', isDone: boolean) => (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={texts.buttonOf({ name, what })}
      onClick={(event) => {
        const goOn = leaves ? focusNeighbour(event) : () => undefined
        marks.mark(notice, whom, isDone, goOn)
      }}
    >
      {name}
    </Button>
  )
  if (doneAt !== null) {
    const by = doneBy === null ? texts.formerUser : <ForeignName text={doneBy} />
    return (
      <Group gap="xs">
        <span>{texts.doneForAllBy({ by, when: <When at={doneAt} /> })}</span>
        {mayMarkForAll && button(texts.reopenForAll, 'all', false)}
      </Group>
    )
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {isDoneForMe && <span>{texts.doneByYou}</span>}
      {mayMark && button(isDoneForMe ? texts.reopen : texts.done, 'me', !isDoneForMe)}
      {mayMarkForAll && !isDoneForMe && button(texts.doneForAll, 'all', true)}
    </Group>
  )
}

/** Focuses the same button in the next row, or in the previous one, because the row of the button disappears. */
function focusNeighbour({ currentTarget }: MouseEvent<HTMLElement>): () => void {
  const row = currentTarget.closest('tr')
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
  const target = neighbour?.querySelector('button')
  return () => (target ? target.focus() : focusTitle())
}
