import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { countBoot } from './boots.ts'
import { until } from './poll.ts'

type DevServer = { readonly url: string; stop(): Promise<void> }

/** Runs what `npm run dev` runs, on a free port, for an api; resolves once it serves pages. */
export async function startDevServer(apiUrl: string): Promise<DevServer> {
  const [port = 0] = await freePorts([0])
  countBoot()
  const child = spawn(packageBin('vite'), ['web', '--port', String(port), '--strictPort'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], API_URL: apiUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let output = ''
  const keep = (chunk: Buffer) => (output += chunk.toString('utf8'))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  await until(
    () => output,
    (text) => text.includes('ready in') || child.exitCode !== null,
  )
  if (child.exitCode !== null) throw new Error(`the development server ended:\n${output}`)
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
