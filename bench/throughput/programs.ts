import { freePorts } from '../../scripts/lib/ports.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { startChild } from '../support/child.ts'
import type { PerProcess, Pids } from '../support/figures.ts'
import type { Api } from '../support/stack.ts'
import type * as loadProgram from './load.ts'
import type { LoadResult } from './load.ts'
import type { RunningService, ServiceKind } from '../../scripts/stack/services.ts'
import type { Lane } from './plan.ts'
import type * as receiverProgram from './receiver.ts'

/** What is published: an open loop with `perSecond`, else by so many connections. `ports`: of others than the first api. */
export type Publishing = {
  readonly types: readonly string[]
  readonly seconds: number
  readonly ports?: readonly number[]
  readonly connections?: number
  readonly batch?: number
  /** Events, at most. */
  readonly count?: number
  readonly perSecond?: number
}

/** The two programs of the benchmark: the one that publishes and the one that has the endpoints. */
export type Programs = {
  readonly publish: (what: Publishing) => Promise<LoadResult>
  readonly receiver: Awaited<ReturnType<typeof startChild<typeof receiverProgram>>>['call']
  /** A URL of the receiver. */
  readonly endpoint: (path: string) => string
}

/** The whole service on loopback, with a load process and endpoints of its own. */
export type LoadStack = Programs & {
  /** The service ran before and goes on afterwards, so nothing of it may be stopped or emptied. */
  readonly isAttached: boolean
  /** Of what runs now: api, worker, database, temporal; none when those of a service that ran before are not known. */
  readonly pids: Pids
  /** Who makes the first attempt. */
  readonly lane: Lane
  /** Chooses the way to first attempts of the worker that starts next; one that runs is stopped. */
  readonly useLane: (lane: Lane) => Promise<void>
  readonly companyId: string
  /** Of the first api. */
  readonly apiUrl: string
  /** With an admin:all key. */
  readonly api: Api
  readonly env: NodeJS.ProcessEnv
  readonly db: SystemDb
  /** A URL where connections are refused. */
  readonly deadEndpoint: string
  readonly temporalVersion: string
  /** Most memory of each process since `resetPeaks`, in MiB; of the worker: of all that ran since then. */
  readonly peaks: () => Promise<PerProcess>
  readonly resetPeaks: () => Promise<void>
  /** Ends what the phase before left: webhooks, and deliveries that are open. */
  readonly reset: () => Promise<void>
  /** Unless it runs. */
  readonly startWorker: () => Promise<void>
  /** If it runs. */
  readonly stopWorker: () => Promise<void>
  /** Starts a further api or worker. Its cost counts with the first one's. */
  readonly startMore: (kind: ServiceKind) => Promise<RunningService>
}

type Options = {
  /** http, on 127.0.0.1. */
  readonly apiUrl: string
  /** They publish in turns. */
  readonly keys: readonly string[]
  /** Of the endpoints. */
  readonly tls: { readonly certFile: string; readonly keyFile: string }
  /** Of the endpoints; a free one by default. */
  readonly tlsPort?: number
}

/** The port of a URL that names one. */
export const portOf = (url: string): number => Number(new URL(url).port)

export async function startPrograms({ apiUrl, keys, tls, tlsPort }: Options): Promise<Programs> {
  const port = tlsPort ?? (await freePorts([0]))[0] ?? 0
  const load = await startChild<typeof loadProgram>(new URL('./load.ts', import.meta.url))
  const receiver = await startChild<typeof receiverProgram>(new URL('./receiver.ts', import.meta.url))
  await receiver.call('listen', { port, certFile: tls.certFile, keyFile: tls.keyFile })
  const common = { ports: [portOf(apiUrl)], keys, connections: 1 }
  return {
    publish: ({ perSecond, ...what }) =>
      perSecond === undefined
        ? load.call('closed', { ...common, ...what })
        : load.call('open', { ...common, ...what, perSecond }),
    receiver: receiver.call,
    endpoint: (path) => `https://127.0.0.1:${port}${path}`,
  }
}
