import { freePorts } from '../../scripts/lib/ports.mjs'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { startChild } from '../support/child.ts'
import type { PerProcess, Pids } from '../support/figures.ts'
import type { Api } from '../support/stack.ts'
import type * as loadProgram from './load.ts'
import type { LoadResult } from './load.ts'
import type { Lane } from './plan.ts'
import type * as receiverProgram from './receiver.ts'

/** What is published: an open loop with `perSecond`, else by so many connections. `port`: another than that of the api. */
export type Publishing = {
  readonly types: readonly string[]
  readonly eventBytes: number
  readonly seconds: number
  readonly port?: number
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

export async function startPrograms({ apiUrl, keys, tls, tlsPort }: Options): Promise<Programs> {
  const port = tlsPort ?? (await freePorts([0]))[0] ?? 0
  const load = await startChild<typeof loadProgram>(new URL('./load.ts', import.meta.url))
  const receiver = await startChild<typeof receiverProgram>(new URL('./receiver.ts', import.meta.url))
  await receiver.call('listen', { port, certFile: tls.certFile, keyFile: tls.keyFile })
  const common = { port: Number(new URL(apiUrl).port), keys, connections: 1 }
  return {
    publish: ({ perSecond, ...what }) =>
      perSecond === undefined
        ? load.call('closed', { ...common, ...what })
        : load.call('open', { ...common, ...what, perSecond }),
    receiver: receiver.call,
    endpoint: (path) => `https://127.0.0.1:${port}${path}`,
  }
}
