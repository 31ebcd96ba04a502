import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Runs the work with an empty folder, and removes that afterwards. The folder lies beside the place of what is fetched, so that the
 * work can move it there in one step: a run that was cut short leaves nothing that looks whole.
 *
 * @template Result
 * @param {string} place a folder of the cache; made when it is missing
 * @param {(dir: string) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function inFetchFolder(place, work) {
  await mkdir(place, { recursive: true })
  const dir = await mkdtemp(path.join(place, '.fetch-'))
  try {
    return await work(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
