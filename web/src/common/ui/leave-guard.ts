import { useEffect, useEffectEvent } from 'react'
import { useConsole } from '../session/context.ts'

/**
 * Keeps the person on this screen: the browser asks before the page is left. The back button and links of the console ask here.
 *
 * @param isOn whether leaving would lose something
 * @param onTry somebody tried to leave, and the screen stayed; `leave` does what they wanted
 */
export function useLeaveGuard(isOn: boolean, onTry: (leave: () => void) => void): void {
  const { pageGuard } = useConsole()
  const onLeave = useEffectEvent(onTry)
  useEffect(() => {
    if (!isOn) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const letGo = pageGuard.hold((leave) => onLeave(leave))
    window.addEventListener('beforeunload', onUnload)
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      letGo()
    }
  }, [isOn, pageGuard])
}
