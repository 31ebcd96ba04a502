import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { build } from '../build.mjs'
import { launchDemo } from '../demo/launch.mjs'
import { findBrowser } from '../lib/browser.mjs'
import { createContext } from '../lib/find.mjs'
import { ROOT } from '../lib/paths.mjs'
import { readJson } from '../lib/private-files.mjs'
import { createProgress } from '../lib/progress.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { makeDirectory } from '../stack/stack.ts'
import { pictureConsole } from './console.mjs'
import { playScene } from './scene.mjs'
import { pictureTemporal } from './temporal.mjs'

/*
 * Takes the pictures of the documents: `npm run screenshots`. It launches a demo of its own, on free ports and in a temporary
 * directory, lets some deliveries fail, and writes the screens of the console and of the Temporal UI into docs/images.
 */

const IMAGES = path.join(ROOT, 'docs', 'images')
const progress = createProgress()

await runSupervised(async (supervisor) => {
  const dataDir = await makeDirectory(supervisor, 'screenshots')
  await progress.step('Build', {}, build)
  const executablePath = await progress.step('Browser', {}, (onUpdate) =>
    findBrowser(createContext({ onUpdate })),
  )
  await launchDemo({ supervisor, progress, dataDir, env: process.env })
  const env = parseEnv(await readFile(path.join(dataDir, 'service.env'), 'utf8'))
  const demo = await readJson(path.join(dataDir, 'demo.json'))
  const apiUrl = `http://127.0.0.1:${env.PORT}`
  const ids = await progress.step('Some deliveries', {}, () =>
    playScene({ apiUrl, key: demo.key, receiver: `https://127.0.0.1:${env.RECEIVER_PORT}` }),
  )
  await mkdir(IMAGES, { recursive: true })
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const target = { browser, dir: IMAGES }
    await progress.step('Temporal UI', {}, () =>
      pictureTemporal(target, { uiUrl: env.TEMPORAL_UI_URL ?? '', ...ids }),
    )
    await progress.step('Console', {}, () => pictureConsole(target, { apiUrl, demo }))
  } finally {
    await browser.close()
  }
})
