/** What a caller may put into one record, so that a page of 100 has about 11 MB. */
const RECORD_BYTES = 110_000

/** Short values, as in real records: to parse and write them costs more than one long text. */
const CUSTOM = Object.fromEntries(
  Array.from({ length: RECORD_BYTES / 50 }, (_, n) => [`field ${n}`, `${n} and a "text" of some length`]),
)

/**
 * Creates contacts of 110 KB.
 *
 * @param {{ baseUrl: string, key: string, count?: number }} options
 */
export async function createLargeContacts({ baseUrl, key, count = 100 }) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (let n = 0; n < count; n++) {
    const body = JSON.stringify({ name: `large ${n}`, custom: CUSTOM })
    const { status } = await fetch(`${baseUrl}/api-v1-contacts`, { method: 'POST', headers, body })
    if (status !== 201) throw new Error(`a contact was answered with ${status}`)
  }
}

/**
 * Lists the first 100 contacts again and again, with so many clients at once.
 *
 * @param {{ baseUrl: string, key: string, clients?: number, durationMs: number }} options
 * @returns {Promise<Record<string, number>>} answers by status
 */
export async function listLargePages({ baseUrl, key, clients = 4, durationMs }) {
  const endMs = Date.now() + durationMs
  /** @type {Record<string, number>} */
  const answers = {}
  const keepListing = async () => {
    while (Date.now() < endMs) {
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${baseUrl}/api-v1-contacts?limit=100`, { headers })
      await response.arrayBuffer()
      answers[response.status] = (answers[response.status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: clients }, keepListing))
  return answers
}
