/** What a list answers besides its records. */
type PagePagination = {
  readonly total: number
  readonly limit: number
  readonly page: number
  readonly has_more: boolean
}

type CursorPagination = {
  readonly limit: number
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export type PageOf<Item> = { readonly data: readonly Item[]; readonly pagination: PagePagination }

export type PartOf<Item> = { readonly data: readonly Item[]; readonly pagination: CursorPagination }

export type One<Item> = { readonly data: Item }
