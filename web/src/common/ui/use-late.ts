import { useState, type ComponentType } from 'react'
import { showRefusal } from './toasts.tsx'

/**
 * Loads a component when it is first wanted. Where that fails the page says why, and goes on without it.
 *
 * @returns the component, undefined until it is loaded, and a function that loads it and gives whether it could
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
