import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
} from '@tanstack/react-query'
import { useState } from 'react'
import type { Call, Query } from '../api/transport.ts'
import { FormKey } from '../api/form-key.ts'
import { isRefusal } from '../api/refusal.ts'
import type { One, PartOf } from '../api/paging.ts'
import { useClient, usePlace } from './context.ts'

/** Without the filters that are not set. */
const filled = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))

type ReadingOne<Item> = {
  readonly query?: Query
  /** How often it is read anew, which may depend on what it is; false: not any more. */
  readonly everyMs?: number | ((item: Item) => number | false)
}

/** Reads one thing of the company: `path` is below its environment. The cache keeps it by company, environment and path. */
export function useOne<Item>(path: string, { query = {}, everyMs }: ReadingOne<Item> = {}) {
  const client = useClient()
  const { base } = usePlace()
  return useQuery({
    queryKey: [base, path, query],
    queryFn: async ({ signal }) => {
      const { body, etag } = await client.send<One<Item>>(`${base}${path}`, { query, signal })
      return { item: body.data, etag }
    },
    refetchInterval: ({ state: { data } }) => {
      if (typeof everyMs !== 'function') return everyMs ?? false
      return data ? everyMs(data.item) : false
    },
  })
}

/** Reads a list by page, with the whole answer. */
export function usePage<Body>(path: string, query: Query) {
  const client = useClient()
  const { base } = usePlace()
  return useQuery({
    queryKey: [base, path, query],
    queryFn: async ({ signal }) =>
      (await client.send<Body>(`${base}${path}`, { query: filled(query), signal })).body,
    placeholderData: keepPreviousData,
  })
}

type ReadingParts = {
  readonly everyMs?: number
  /** Cursor of the first part, for a list that is by cursor only when there is one. */
  readonly firstCursor?: string
  /**
   * Ends the list after its first part. Reading a list anew costs a request for each of its parts; with this it costs one, and the
   * first reading drops the parts that were loaded before.
   */
  readonly hasOnePart?: boolean
}

/** Reads a list by cursor, part after part. With `everyMs` it is read again at that interval, as long as the page is seen. */
export function useParts<Item>(
  path: string,
  query: Query,
  { everyMs, firstCursor, hasOnePart = false }: ReadingParts = {},
) {
  const client = useClient()
  const { base } = usePlace()
  return useInfiniteQuery({
    queryKey: [base, path, query, 'parts'],
    queryFn: async ({ pageParam, signal }) => {
      const call = { query: { ...filled(query), cursor: pageParam }, signal }
      return (await client.send<PartOf<Item>>(`${base}${path}`, call)).body
    },
    initialPageParam: firstCursor,
    getNextPageParam: ({ pagination }) =>
      pagination.has_more && !hasOnePart ? (pagination.next_cursor ?? undefined) : undefined,
    refetchInterval: everyMs ?? false,
    // The table of the former filter stays until that of the next one comes.
    placeholderData: (former, query) =>
      query?.queryKey[0] === base && query.queryKey[1] === path ? former : undefined,
  })
}

type Change = Omit<Call, 'idempotencyKey' | 'signal' | 'query'> & { readonly path: string }

/** Refusals that say: it is not as the page shows it any more, because somebody else changed it. */
const OVERTAKEN = ['INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED']

const isOvertaken = (error: Error): boolean => OVERTAKEN.some((code) => isRefusal(error, code))

/**
 * Changes something of the company. POSTs carry the idempotency key of the form, which stays the same while the same body is
 * sent again. Afterwards everything that is shown is read anew, also when the refusal says that the page is out of date.
 *
 * @param options.isLeaving the page is about to go, because what it shows is deleted: nothing is read until another page asks
 */
export function useChange<Item>({ isLeaving = false } = {}): UseMutationResult<Item, Error, Change> {
  const client = useClient()
  const { base } = usePlace()
  const cache = useQueryClient()
  const [formKey] = useState(() => new FormKey())
  return useMutation({
    // Some answers hold a key or a secret: they must not stay in memory.
    gcTime: 0,
    mutationFn: async ({ path, ...call }: Change) => {
      const { method, body } = call
      const key = method === 'POST' ? { idempotencyKey: formKey.for([path, body]) } : {}
      const answer = await client.send<One<Item>>(`${base}${path}`, { ...call, ...key })
      return answer.body.data
    },
    onSuccess: () => {
      formKey.renew()
      void cache.invalidateQueries({ queryKey: [base], refetchType: isLeaving ? 'none' : 'active' })
    },
    onError: (error) => {
      if (isOvertaken(error)) void cache.invalidateQueries({ queryKey: [base] })
    },
  })
}
