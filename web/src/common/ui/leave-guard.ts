import { useEffect, useEffectEvent } from 'react'
import { useConsole } from '../session/context.ts'

/**
 * Keeps the person on this screen: the browser asks before the page is left, and the back button asks here.
 *
 * @param isOn whether leaving would lose something
 * @param onTry the back button was pressed, and the screen stayed
 */
export function useLeaveGuard(isOn: boolean, onTry: () => void): void {
  const { backGuard } = useConsole()
  const onBack = useEffectEvent(onTry)
  useEffect(() => {
    if (!isOn) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const letGo = backGuard.hold(() => onBack())
    window.addEventListener('beforeunload', onUnload)
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      letGo()
    }
  }, [isOn, backGuard])
}
