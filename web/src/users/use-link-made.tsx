import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type ReactNode } from 'react'
import type { IssuedLink } from '../common/api/wire.ts'
import { ShownOnce } from '../common/ui/shown-once.tsx'
import { texts } from './texts.ts'

/**
 * What becomes of a link that was made: it is shown the only time, or a message says that it went by mail.
 *
 * @param onDone called once it is stored, or at once where it went by mail
 * @returns `take` for what the api answered, and the dialog that shows the link, as long as it does
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
