import type { SystemDb } from '../db/connection/connection.ts'
import { insertCanaries, isKeyInUse, listCanaries } from '../db/sealing/sealing-keys.ts'
import { type KeyRing, opensCanary, sealCanary, type Canary } from '../domain/sealing/sealing.ts'

/**
 * Finds what is wrong with the key ring for this database. A key may differ from the one that is known by its id, or a
 * key under which secrets are sealed may be missing. Adds a canary for a key that is new here. So when processes start on
 * an empty database with different keys, all but the first find out.
 *
 * @returns one line that names the variable and no key bytes; undefined when everything can be opened
 */
export async function findSecretsKeysFault(db: SystemDb, ring: KeyRing): Promise<string | undefined> {
  const known = await listCanaries(db)
  const fault = falseKeyFault(ring, known) ?? (await missingKeyFault(db, ring, known))
  const added = [...ring.keys.keys()].filter((id) => !known.some(({ keyId }) => keyId === id)).sort()
  if (fault !== undefined || added.length === 0) return fault
  await insertCanaries(
    db,
    added.map((id) => sealCanary(ring, id)),
  )
  return falseKeyFault(ring, await listCanaries(db))
}

function falseKeyFault(ring: KeyRing, known: readonly Canary[]): string | undefined {
  const wrong = known.find((canary) => ring.keys.has(canary.keyId) && !opensCanary(ring, canary))
  return wrong && `SECRETS_KEYS: the key "${wrong.keyId}" is not the one that this database knows by that id`
}

async function missingKeyFault(
  db: SystemDb,
  ring: KeyRing,
  known: readonly Canary[],
): Promise<string | undefined> {
  for (const { keyId } of known.filter((canary) => !ring.keys.has(canary.keyId))) {
    if (await isKeyInUse(db, keyId)) {
      return `SECRETS_KEYS lacks the key "${keyId}", under which secrets are sealed`
    }
  }
  return undefined
}
