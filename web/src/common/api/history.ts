/** One line of the audit. `name` of the actor is that of a user or a key. */
export type HistoryEntry = {
  readonly at: string
  readonly actor: { readonly id: string; readonly name: string | null }
  readonly action: string
  readonly target_id: string
  readonly details: Readonly<Record<string, unknown>>
  readonly ip: string | null
}
