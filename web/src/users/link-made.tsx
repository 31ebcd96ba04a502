import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import type { IssuedLink } from '../common/api/wire.ts'
import { ShownOnce } from '../common/ui/shown-once.tsx'
import { texts } from './texts.ts'

/** Shows a link the only time, or says that it went by mail. */
export function LinkMade({ made, onDone }: { made: IssuedLink; onDone: () => void }) {
  const { link, email } = made
  useEffect(() => {
    if (link !== null) return
    notifications.show({ message: texts.mailed({ email }) })
    onDone()
    // Once for each link.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [link])
  if (link === null) return null
  return (
    <ShownOnce title={texts.giveThisLink} what={texts.link} value={link} onDone={onDone}>
      <Text size="sm">{texts.linkMeans({ email })}</Text>
    </ShownOnce>
  )
}
