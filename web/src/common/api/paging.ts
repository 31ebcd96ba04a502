import type { CursorPagination, Pagination, Searched } from './wire.ts'

export type PageOf<Item> = { readonly data: readonly Item[]; readonly pagination: Pagination }

export type PartOf<Item> = {
  readonly data: readonly Item[]
  readonly pagination: CursorPagination
  /** Where the list was searched. */
  readonly search?: Searched
}

export type One<Item> = { readonly data: Item }
