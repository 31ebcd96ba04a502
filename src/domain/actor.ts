/**
 * Who made a change, and from where. `id` is a key's id, a user's id, `cli`, `temporal` for a signal sent in Temporal, or
 * `system` for what the service does by itself.
 */
export type Actor = { readonly id: string; readonly ip?: string; readonly requestId?: string }

/** The origin of a sign-in: the browser, as it names itself, and the address. */
export type Device = { readonly ip?: string | undefined; readonly userAgent?: string | undefined }

export const SYSTEM: Actor = { id: 'system' }
export const COMMAND_LINE: Actor = { id: 'cli' }
export const TEMPORAL: Actor = { id: 'temporal' }
