import type { Deps } from '../deps.js'

/** What carrying out a command needs. */
export type CommandContext = {
  readonly deps: Deps
  readonly owner: string
  readonly leaseMs: number
  /** Every RPC has a deadline. */
  readonly withDeadline: <T>(call: () => Promise<T>) => Promise<T>
}
