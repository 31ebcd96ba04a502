import { ESLint } from 'eslint'

const FENCES = ['house/fence', 'house/system-db', '@typescript-eslint/no-restricted-imports', 'console/texts']

export const eslint = new ESLint()

/** Which of the statements our fences refuse in a file, each on a line of its own. */
export async function refusalsOf(filePath: string, statements: readonly string[]): Promise<boolean[]> {
  const [result] = await eslint.lintText(`${statements.join('\n')}\n`, { filePath })
  const isOfFence = (ruleId: string | null) => FENCES.includes(ruleId ?? '')
  const faults = result!.messages.filter(({ ruleId, fatal }) => fatal === true || isOfFence(ruleId))
  return statements.map((_, index) => faults.some(({ line, fatal }) => fatal === true || line === index + 1))
}

export const isRefused = async (filePath: string, statement: string): Promise<boolean> =>
  (await refusalsOf(filePath, [statement]))[0]!
