import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { useConsole, useStore } from '../session/context.ts'
import { texts } from './texts.ts'

/** How often the console asks whether the service answers again. */
const ASK_EVERY_MS = 3_000

/** Says that the service does not answer, until it answers again. Forms keep what was typed. */
export function ConnectionBanner() {
  const { client, isConnected } = useConsole()
  const isUp = useStore(isConnected)
  useEffect(() => {
    if (isUp) return
    const timer = setInterval(() => void client.ping(), ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [client, isUp])
  return (
    <div role="status">
      {!isUp && (
        <div className="connection-banner">
          <span>{texts.noConnection}</span>
          <Button size="compact-sm" variant="default" onClick={() => void client.ping()}>
            {texts.tryNow}
          </Button>
        </div>
      )}
    </div>
  )
}
