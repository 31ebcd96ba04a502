import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { useConsole, PASSWORD, type ConsoleInUse } from './console.js'

export type Scheme = 'light' | 'dark'

type PageOptions = { readonly scheme?: Scheme; readonly width?: number }

/** A page of the console, with what went wrong in it. */
export type ConsolePage = {
  readonly page: Page
  /** Goes to a path below the company, of an environment. */
  readonly open: (path: string, environment?: string) => Promise<void>
  readonly signIn: (email: string, password?: string) => Promise<void>
}

export type BrowserInUse = {
  readonly console: ConsoleInUse
  /** A page of a browser without cookies. */
  page(options?: PageOptions): Promise<ConsolePage>
  /** A page of an admin of the test's company, signed in, and the admin's email. */
  admin(options?: PageOptions): Promise<ConsolePage & { readonly email: string }>
}

/** One browser for each file, one profile for each page. After each test its pages must have logged no error. */
export function useBrowser(options?: Parameters<typeof useConsole>[0]): BrowserInUse {
  const console = useConsole(options)
  let browser: Browser
  const contexts: BrowserContext[] = []
  const faults: string[] = []

  before(async () => {
    browser = await chromium.launch({
      executablePath: process.env['TEST_BROWSER'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    })
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(faults.splice(0)).to.deep.equal([])
  })
  after(() => browser.close())

  const newPage: BrowserInUse['page'] = async ({ scheme = 'light', width = 1280 } = {}) => {
    const { url } = console.stack.api
    const context = await browser.newContext({
      baseURL: url,
      colorScheme: scheme,
      reducedMotion: 'reduce',
      viewport: { width, height: 900 },
    })
    contexts.push(context)
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !isRefusal(message.text())) faults.push(message.text())
    })
    return {
      page,
      open: async (path, environment = 'live') => {
        await page.goto(`/console/c/${console.companyId}/${environment}${path}`)
      },
      signIn: async (email, password = PASSWORD) => {
        await page.getByLabel('Email').fill(email)
        await page.getByLabel(/^Password/).fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      },
    }
  }

  return {
    console,
    page: newPage,
    admin: async (given) => {
      const { email } = await console.user('admin')
      const shown = await newPage(given)
      await shown.open('/keys')
      await shown.signIn(email)
      return { ...shown, email }
    },
  }
}

/** Chromium logs every answer from 400 on and every call without an answer; the tests ask for those. */
const isRefusal = (text: string): boolean => text.startsWith('Failed to load resource')

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What axe finds on the page against WCAG 2.2 AA: rule, and where. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'))
  return page.evaluate<string[], string[]>(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: rules } })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
  }, RULES)
}
