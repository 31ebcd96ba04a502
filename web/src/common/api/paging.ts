import type { CursorPagination, Pagination, Searched } from './wire.ts'

export type PageOf<Item> = { readonly data: readonly Item[]; readonly pagination: Pagination }

export type PartOf<Item> = {
  readonly data: readonly Item[]
  readonly pagination: CursorPagination
  /** How far a search has looked. */
  readonly search?: Searched
}

export type One<Item> = { readonly data: Item }
