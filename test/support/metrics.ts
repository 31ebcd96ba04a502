import type { RunningPart } from './outputs.ts'

type Labels = Readonly<Record<string, string>>

/** The sum of a metric of a worker or an api over all its samples whose labels match. */
export async function readMetric(
  part: Pick<RunningPart, 'url'>,
  name: string,
  labels?: Labels,
): Promise<number> {
  return (await readMetrics(part))(name, labels)
}

/** All metrics of a worker or an api as they are at one moment. @returns gives the sum of one, as `readMetric` */
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
