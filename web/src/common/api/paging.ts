import type { CursorPagination, Pagination } from './wire.ts'

export type PageOf<Item> = { readonly data: readonly Item[]; readonly pagination: Pagination }

export type PartOf<Item> = { readonly data: readonly Item[]; readonly pagination: CursorPagination }

export type One<Item> = { readonly data: Item }
