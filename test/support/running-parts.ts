import { mkdir, writeFile } from 'node:fs/promises'
import { type PollOptions, until } from './poll.ts'

import path from 'node:path'

/** An api or a worker of a test, in this process or in its own. */
export type RunningPart = {
  /** Its URL, for example http://127.0.0.1:4000. */
  readonly url: string
  /** Everything it has printed so far. */
  output(): string
  /** Lets it finish its work. Resolves with its exit code at its end; 0 for an in-process part that ended well. */
  stop(): Promise<number | null>
}

/** The lines with that text that a part has printed so far. */
export const linesWith = (part: Pick<RunningPart, 'output'>, text: string): string[] =>
  part
    .output()
    .split('\n')
    .filter((line) => line.includes(text))

type Output = { readonly name: string; readonly read: () => string; isOver: boolean }

const outputs = new Set<Output>()
const counts = new Map<string, number>()

/** Keeps the output of a part in case a test fails. @returns a function to call when the part has ended */
export function keepOutput(kind: string, read: () => string): () => void {
  const number = (counts.get(kind) ?? 0) + 1
  counts.set(kind, number)
  const output: Output = { name: `${kind}-${number}`, read, isOver: false }
  outputs.add(output)
  return () => void (output.isOver = true)
}

/** Forgets the parts that have ended. */
export function forgetOutputs(): void {
  for (const output of outputs) if (output.isOver) outputs.delete(output)
}

/** Writes the output of every part to a separate file. */
export async function writeOutputs(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  await Promise.all([...outputs].map(({ name, read }) => writeFile(path.join(dir, `${name}.log`), read())))
}

type Readiness = { readonly status: number; readonly parts: Readonly<Record<string, boolean>> }

/** The readiness of an api or a worker: the status, 0 where nobody listens, and which of its dependencies are ready. */
export const readinessOf = ({ url }: Pick<RunningPart, 'url'>): Promise<Readiness> =>
  fetch(`${url}/readyz`).then(
    async (response) => {
      const { parts } = (await response.json()) as Readiness
      return { status: response.status, parts }
    },
    () => ({ status: 0, parts: {} }),
  )

/** Waits until the readiness is as wanted. @returns that readiness */
export const untilReadinessIs = (
  part: Pick<RunningPart, 'url'>,
  wanted: number,
  options?: PollOptions,
): Promise<Readiness> =>
  until(
    () => readinessOf(part),
    ({ status }) => status === wanted,
    options,
  )

type Labels = Readonly<Record<string, string>>

/** The sum of a metric of a worker or an api over all its samples whose labels match. */
export async function readMetric(
  part: Pick<RunningPart, 'url'>,
  name: string,
  labels?: Labels,
): Promise<number> {
  return (await readMetrics(part))(name, labels)
}

/** Reads all metrics of a worker or an api at one moment. @returns a function that sums one, as `readMetric` */
export async function readMetrics({ url }: Pick<RunningPart, 'url'>) {
  const text = await (await fetch(`${url}/metrics`)).text()
  return (name: string, labels: Labels = {}): number => sumOf(text, name, labels)
}

function sumOf(text: string, name: string, labels: Labels): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
