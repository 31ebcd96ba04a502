import { formatDuration } from '../scripts/lib/progress.ts'
import type { Result } from './account/compare.ts'
import type { Parts } from './changes.ts'
import type { Kill } from './kills.ts'
import type { SoakOptions } from './options.ts'
import type { Traffic } from './traffic.ts'

/** Most lines that are shown of what a kill explains. */
const SHOWN = 20

/** Such as 3 x 503, 12 x 200. */
const count = (names: readonly string[]): string =>
  [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => `${length} x ${name}`).join(', ') ||
  'none'

type Run = Parts & { readonly kills: readonly Kill[]; readonly traffic: Traffic }

/** Everything that a reader needs, the verdict last. */
export function renderReport(
  options: SoakOptions,
  { account, ...result }: Result,
  { kills, traffic, client, ledger, webhooks, record }: Run,
): string {
  const answers = record.seen.map(({ status }) => String(status ?? 'not answered'))
  return [
    '',
    `seed ${options.seed}, lane ${options.lane}, ${options.minutes} min of traffic, settled after ${formatDuration(result.settleMs)}`,
    `calls: ${traffic.begun} begun, ${traffic.leftOut} left out because too many were open; ${client.repeats} repeats; answers ${count(client.answers)}; the slowest took ${formatDuration(client.slowestMs)}`,
    `changes: ${count(ledger.done)}; ${webhooks.length} webhooks`,
    `events: ${ledger.sent} sent, ${ledger.accepted.size} accepted, ${ledger.uncertain.flat().length} uncertain, ${result.events} rows with test events`,
    `deliveries: ${result.ends.length}: ${count(result.ends)}; ${result.attempts} attempts`,
    `requests received: ${answers.length}: ${count(answers)}`,
    `kills: ${kills.length}: ${count(kills.map(({ part }) => part))}`,
    `delivered twice: ${result.duplicates}; explained by a kill: ${account.explained.length}`,
    ...account.explained.slice(0, SHOWN).map((line) => `  ${line}`),
    ...account.disagreements.map((line) => `disagreement: ${line}`),
    ...account.lost.map((line) => `lost: ${line}`),
    `lost ${account.lost.length}, disagreements ${account.disagreements.length}`,
  ].join('\n')
}
