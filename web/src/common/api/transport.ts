import { ApiRefusal, ConnectionLost, readRefusal } from './refusal.ts'

const ROOT = '/console/api'

export type Query = Readonly<Record<string, string | number | undefined>>

export type Call = {
  /** Absent for a GET. */
  readonly method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly query?: Query
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}

export type Answer<Body> = { readonly body: Body; readonly etag: string | null }

/** The entity tag of something that the api answers with its version, for If-Match. */
export const etagOf = ({ version }: { readonly version: string | number }): string => `"${version}"`

export type TransportOptions = {
  readonly fetch: typeof fetch
  /** Called after every request with whether an answer arrived. */
  readonly onConnection: (isUp: boolean) => void
}

/** Makes one HTTP request and reads its answer. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * @param path below /console/api, beginning with a slash
   * @throws ApiRefusal, ConnectionLost, or the error of fetch if the signal aborts the call
   */
  async ask<Body>(path: string, call: Call, csrfToken: string | undefined): Promise<Answer<Body>> {
    try {
      const response = await this.#options.fetch(`${ROOT}${path}${queryText(call.query)}`, {
        method: call.method ?? 'GET',
        headers: headersOf(call, csrfToken),
        credentials: 'same-origin',
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        ...(call.signal && { signal: call.signal }),
      })
      if (!response.ok) return await this.#refuse(response)
      const body = (await response.json()) as Body
      this.#options.onConnection(true)
      return { body, etag: response.headers.get('ETag') }
    } catch (error) {
      if (error instanceof ApiRefusal || call.signal?.aborted) throw error
      this.#options.onConnection(false)
      throw new ConnectionLost(error)
    }
  }

  async #refuse(response: Response): Promise<never> {
    const refusal = await readRefusal(response)
    this.#options.onConnection(true)
    throw refusal
  }
}

const headersOf = (
  { method, body, idempotencyKey, ifMatch }: Call,
  csrfToken: string | undefined,
): Record<string, string> => ({
  Accept: 'application/json',
  ...(body !== undefined && { 'Content-Type': 'application/json' }),
  ...(method && { 'X-CSRF-Token': csrfToken ?? '' }),
  ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
})

/** Builds `?a=b`. Names without a value are left out. */
function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text === '' ? '' : `?${text}`
}
