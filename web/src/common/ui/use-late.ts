import { useState, type ComponentType } from 'react'
import { showRefusal } from './toasts.tsx'

/**
 * A component that comes when it is first wanted. Where it does not come, the page says why and goes on without it.
 *
 * @returns the component once it has come, and what brings it: that gives whether it is there
 */
export function useLate<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>) {
  const [Late, setLate] = useState<ComponentType<Props>>()
  const bring = async (): Promise<boolean> => {
    try {
      const { default: loaded } = await load()
      setLate(() => loaded)
      return true
    } catch (error) {
      showRefusal(error)
      return false
    }
  }
  return [Late, bring] as const
}
