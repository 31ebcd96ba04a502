import { useReducer } from 'react'

const choiceNow = (choice: string) => ({ choice, at: new Date() })

/** When the choice was made, or the screen opened. A time span ends there: an end that moves would make another list at each look. */
export function useChosenAt(choice: string): Date {
  const [latest, choose] = useReducer((_, next: string) => choiceNow(next), choice, choiceNow)
  if (latest.choice !== choice) choose(choice)
  return latest.at
}
