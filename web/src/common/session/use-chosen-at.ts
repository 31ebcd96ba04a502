import { useReducer } from 'react'

const choiceNow = (choice: string) => ({ choice, at: new Date() })

/**
 * The moment when the span was chosen, or the screen opened. The span ends there, because an end that moves would make a new
 * list at each render.
 */
export function useChosenAt(choice: string): Date {
  const [latest, choose] = useReducer((_, next: string) => choiceNow(next), choice, choiceNow)
  if (latest.choice !== choice) choose(choice)
  return latest.at
}
