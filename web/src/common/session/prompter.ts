import type { Prompts } from '../api/client.ts'
import { Store } from './store.ts'

/** What the person is being asked for. */
export type Question = 'signIn' | 'password'

type Open = { readonly question: Question; readonly answer: (isGiven: boolean) => void }

/**
 * Asks the person one question at a time. Calls that fail together for the same reason share one dialog: all of them go on
 * when it is answered.
 */
export class Prompter implements Prompts {
  /** The open question; the dialogs watch it. */
  readonly open = new Store<Open | undefined>(undefined)
  #pending: Promise<boolean> | undefined

  /** Somebody said no to the sign-in, to look at the page a little longer. */
  #isPutOff = false

  readonly signIn = async (isWanted: boolean): Promise<boolean> => {
    if (this.#isPutOff && !isWanted) return false
    const isSignedIn = await this.#ask('signIn')
    this.#isPutOff = !isSignedIn
    return isSignedIn
  }

  readonly password = (): Promise<boolean> => this.#ask('password')

  #ask(question: Question): Promise<boolean> {
    // The open question may be the other one. Its answer may remove the reason for this one, and the call is tried again.
    if (this.#pending) return this.#pending
    const answer = new Promise<boolean>((resolve) => {
      this.open.set({
        question,
        answer: (isGiven) => {
          this.#pending = undefined
          this.open.set(undefined)
          resolve(isGiven)
        },
      })
    })
    this.#pending = answer
    return answer
  }
}
