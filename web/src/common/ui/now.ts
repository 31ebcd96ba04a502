import { useSyncExternalStore } from 'react'
import { Store } from '../session/store.ts'

/** A clock that all relative times share, so that a page with a hundred of them needs one timer. */
export class Clock {
  readonly #store = new Store(Date.now())
  readonly #everyMs: number
  #watchers = 0
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** While no component watches, the timer stands still. Then the time is read again if it is older than one tick. */
  readonly get = (): number => {
    if (this.#watchers === 0 && Date.now() - this.#store.get() >= this.#everyMs) this.#store.set(Date.now())
    return this.#store.get()
  }

  readonly watch = (listener: () => void): (() => void) => {
    const unwatch = this.#store.watch(listener)
    this.#watchers += 1
    this.#timer ??= setInterval(() => this.#store.set(Date.now()), this.#everyMs)
    return () => {
      unwatch()
      this.#watchers -= 1
      if (this.#watchers > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}

const SLOW = new Clock(10_000)
const BY_SECONDS = new Clock(1_000)

/** The current time. It changes every ten seconds, or every second. */
export function useNow(speed: 'slow' | 'seconds' = 'slow'): Date {
  const clock = speed === 'slow' ? SLOW : BY_SECONDS
  return new Date(useSyncExternalStore(clock.watch, clock.get))
}
