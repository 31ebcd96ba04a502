import type { Prompts } from '../api/client.ts'
import { Store } from './store.ts'

/** What the user is asked for. */
export type Question = 'signIn' | 'password'

type Open = { readonly question: Question; readonly answer: (isGiven: boolean) => void }

/**
 * Asks the user one question at a time. Calls that fail for the same reason share one dialog. All of them continue when the
 * user has answered.
 */
export class Prompter implements Prompts {
  /** The open question. The dialogs read it. */
  readonly open = new Store<Open | undefined>(undefined)
  #pending: Promise<boolean> | undefined

  /** The user refused to sign in, to look at the page a little longer. */
  #isPutOff = false

  readonly signIn = async (isWanted: boolean): Promise<boolean> => {
    if (this.#isPutOff && !isWanted) return false
    const isSignedIn = await this.#ask('signIn')
    this.#isPutOff = !isSignedIn
    return isSignedIn
  }

  readonly password = (): Promise<boolean> => this.#ask('password')

  #ask(question: Question): Promise<boolean> {
    // Another question may be open. Its answer may also remove this obstacle, so the call is tried again.
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
