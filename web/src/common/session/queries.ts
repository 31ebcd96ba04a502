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

/** The parameters without those that are not set. */
const filled = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))

type ReadingOne<Item> = {
  readonly query?: Query
  /** How often the data is read again, which may depend on the data. false: no more. */
  readonly everyMs?: number | ((item: Item) => number | false)
}

/** Reads one object of the company. `path` follows the environment in the API. The cache key is company, environment and path. */
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

/** Reads a list by page. Returns the whole answer, with its pagination. */
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
  /** The cursor of the first part, for lists that are by cursor only if one is given. */
  readonly firstCursor?: string
  /**
   * Ends the list after its first part. To read a list again costs one request for each part. With this it costs one
   * request, and the first read drops the parts that were loaded before.
   */
  readonly hasOnePart?: boolean
}

/** Reads a list by cursor, part by part. With `everyMs` it reads the list again at that interval while the page is visible. */
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
    // The table of the former filter stays until that of the new filter arrives.
    placeholderData: (former, query) =>
      query?.queryKey[0] === base && query.queryKey[1] === path ? former : undefined,
  })
}

type Change = Omit<Call, 'idempotencyKey' | 'signal' | 'query'> & { readonly path: string }

/** Refusals that mean that somebody else changed the object since the page showed it. */
const OVERTAKEN = ['INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED']

const isOvertaken = (error: Error): boolean => OVERTAKEN.some((code) => isRefusal(error, code))

/**
 * Changes something of the company. A POST carries the idempotency key of the form, which stays the same while the same
 * body is sent again. After an answer, all data that is shown is read again, also after a refusal that means that the page
 * is out of date.
 *
 * @param options.isLeaving the page closes after the change, because its object is deleted. So nothing is read until
 *   another page asks
 */
export function useChange<Item>({ isLeaving = false } = {}): UseMutationResult<Item, Error, Change> {
  const client = useClient()
  const { base } = usePlace()
  const cache = useQueryClient()
  const [formKey] = useState(() => new FormKey())
  return useMutation({
    // Answers are not kept in memory, because some hold a key or a secret.
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
