import { readFile } from 'node:fs/promises'

/** Reads the file when it is first asked for, and keeps it. A read that fails is not kept: the next one tries again. */
export function readOnce(path: string): () => Promise<Buffer> {
  let content: Promise<Buffer> | undefined
  return async () => {
    try {
      return await (content ??= readFile(path))
    } catch (error) {
      content = undefined
      throw error
    }
  }
}
