import { useState, type ComponentType } from 'react'
import { showRefusal } from './toasts.tsx'

/**
 * Loads a component when it is first needed. If that fails, the page says why and works without it.
 *
 * @returns the component, undefined until it is loaded, and a function that loads it and returns whether that worked
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
