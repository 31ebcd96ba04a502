import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type ReactNode } from 'react'
import type { IssuedLink } from '../common/api/wire.ts'
import { ShownOnce } from '../common/ui/shown-once.tsx'
import { texts } from './texts.ts'

/**
 * Handles a link that was made. Either the link is shown, only this once, or a message says that it was mailed.
 *
 * @param onDone called when the user has stored the link, or at once if it was mailed
 * @returns `take`, to be called with the api's answer, and the dialog that shows the link
 */
export function useLinkMade(onDone?: () => void): {
  readonly take: (made: IssuedLink) => void
  readonly shown: ReactNode
} {
  const [made, setMade] = useState<IssuedLink>()
  const take = (issued: IssuedLink) => {
    if (issued.link !== null) {
      setMade(issued)
      return
    }
    notifications.show({ message: texts.mailed({ email: issued.email }) })
    onDone?.()
  }
  const done = () => {
    setMade(undefined)
    onDone?.()
  }
  return {
    take,
    shown: made?.link != null && (
      <ShownOnce title={texts.giveThisLink} what={texts.link} value={made.link} onDone={done}>
        <Text size="sm">{texts.linkMeans({ email: made.email })}</Text>
      </ShownOnce>
    ),
  }
}
