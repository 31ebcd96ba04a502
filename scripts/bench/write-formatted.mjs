import { writeFile } from 'node:fs/promises'
import { run } from '../lib/commands.mjs'
import { packageBin, ROOT } from '../lib/paths.mjs'

/**
 * Writes a file of the repository in the form that `npm run format` gives it.
 *
 * @param {string} file
 * @param {string} text
 * @throws {Error} when the formatter refuses the text, which is written then as it is
 */
export async function writeFormatted(file, text) {
  await writeFile(file, text)
  const { code, output } = await run(packageBin('oxfmt'), [file], { cwd: ROOT })
  if (code !== 0) throw new Error(`The formatter refused ${file}: ${output}`)
}
