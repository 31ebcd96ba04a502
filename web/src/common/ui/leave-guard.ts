import { useEffect, useEffectEvent } from 'react'
import { useConsole } from '../session/context.ts'

/**
 * Keeps the user on this screen. The browser asks before it leaves the page. At the back button and at links, the console asks.
 *
 * @param isOn whether the user would lose something
 * @param onTry called when the user tried to leave and the screen stayed. `leave` continues what the user wanted
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
